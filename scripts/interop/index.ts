// The checks, in the order in which they run and stand in docs/interop.md.

import type { Check } from "./check.ts";
import { adapters } from "./folders/adapters.ts";
import { foreignFolders } from "./folders/foreignFolders.ts";
import { modelFolders } from "./folders/modelFolders.ts";
import { dataFrames, liveLogs, mlflow, tensorboard, wandb } from "./tables.ts";
import { officialClient } from "./tinker/officialClient.ts";
import { skyrlPage } from "./tinker/page.ts";
import { skyrlRun, skyrlStep } from "./tinker/tinker.ts";
import { tokenizer } from "./tokenizer.ts";
import { trlBackend, trlFolder } from "./trl/trl.ts";
import { trlBeside } from "./trl/trlBeside.ts";
import { trlRewards } from "./trl/trlRewards.ts";
import { trlTools } from "./trl/trlTools.ts";
import { verifiers } from "./verifiers.ts";
import { verl } from "./verl.ts";

export const checks: readonly Check[] = [
  modelFolders,
  tokenizer,
  foreignFolders,
  adapters,
  tensorboard,
  mlflow,
  wandb,
  dataFrames,
  liveLogs,
  trlFolder,
  trlRewards,
  trlTools,
  trlBackend,
  trlBeside,
  verifiers,
  verl,
  officialClient,
  skyrlStep,
  skyrlRun,
  skyrlPage,
];
