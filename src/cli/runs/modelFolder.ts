// A Hugging Face model folder, or one of PEFT's adapters, in the place of a save: what TRL or another program has trained, as a run of a
// configuration that stands at its start. From there everything goes as with the lab's own runs.

import { readdir } from "node:fs/promises";
import { ADAPTER_FILES } from "../../model/folder/adapterFolder.ts";
import { wholeFile } from "../../model/folder/modelFolder.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { errorText } from "../../protocol/problems.ts";
import type { StepRecord } from "../../protocol/records.ts";
import type { Additions } from "../../train/host.ts";
import { exportSave } from "../../train/run/keep/takenCheckpoint.ts";
import type { SaveFiles } from "../../train/save/readSave.ts";
import { unpackFiles } from "../../train/save/rollout/packedFiles.ts";
import { planRun } from "../../train/start/plan.ts";
import { type ActiveRun, disposeModels, prepareRun } from "../../train/start/start.ts";
import { startFromAdapters, startFromFolder } from "../../train/start/weightTransfer.ts";
import { CommandError } from "../lab/exit.ts";
import { diskFolder } from "../models/modelPlaces.ts";
import { createNodeHost } from "../nodeHost.ts";

const namesIn = (path: string) => readdir(path).catch((): string[] => []);
const holdsAdapters = (names: readonly string[]) => ADAPTER_FILES.some((name) => names.includes(name));

/** Whether a folder holds a model in one file, or adapters of PEFT's. */
export async function isModelFolder(path: string): Promise<boolean> {
  const names = await namesIn(path);
  return holdsAdapters(names) || ["config.json", "model.safetensors"].every((name) => names.includes(name));
}

/** What a run starts from in such a folder: weights, or adapters beside the base that the configuration names. */
async function startFrom<C extends RunConfigInput>(path: string, config: C) {
  const names = await namesIn(path);
  const folder = diskFolder(path);
  if (holdsAdapters(names)) return startFromAdapters((name) => wholeFile(folder, name), config);
  return startFromFolder(async (name) => (names.includes(name) ? wholeFile(folder, name) : null), config);
}

interface FolderAsRun {
  readonly path: string;
  readonly runId: string;
  readonly config: RunConfig;
  readonly additions: Additions | undefined;
  /** Steps that another program has taken. */
  readonly steps: readonly StepRecord[];
}

/** The save of a run of the configuration that has these weights. Throws a CommandError for a folder that it cannot be. */
export async function saveOfModelFolder({ path, runId, config: asked, additions, steps }: FolderAsRun): Promise<SaveFiles> {
  const host = createNodeHost({ additions });
  let run: ActiveRun;
  try {
    // Nothing is computed on what is built here, so that no GPU is needed.
    const plan = planRun(await startFrom(path, { ...asked, backend: "wasm" as const }), additions);
    run = await prepareRun(runId, plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${errorText(error)}`);
  }
  try {
    run.steps.push(...steps);
    run.trainer.restore({ ...run.trainer.save(), step: steps.at(-1)?.step ?? 0 });
    return unpackFiles((await exportSave(run)).bytes);
  } finally {
    disposeModels(run);
  }
}
