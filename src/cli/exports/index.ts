// The ways out of a run: one line each.
import type { Exporter } from "./exporter.ts";
import { adapterFolder, modelFolder } from "./modelFolder.ts";
import { page } from "./page.ts";
import { csv, jsonl, mlflow, tensorboard, verifiers, wandb } from "./tables.ts";
import { trl } from "./trl.ts";
import { verl } from "./verl.ts";

export const exporters: readonly Exporter[] = [
  modelFolder,
  adapterFolder,
  jsonl,
  csv,
  tensorboard,
  mlflow,
  wandb,
  verifiers,
  page,
  trl,
  verl,
];
