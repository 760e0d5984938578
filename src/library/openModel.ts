// The parts of a run without its loop: model, task, renderer and rewards of a configuration, for whoever samples
// and updates by hand.

import { ADAPTER_FILES } from "../model/folder/adapterFolder.ts";
import { type Model, modelHere } from "../model/model.ts";
import type { RunConfig, RunConfigInput } from "../protocol/config.ts";
import type { ModelFile } from "../protocol/messages.ts";
import type { TaskInstance } from "../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../rl/types.ts";
import { startFromAdapters, startFromFolder } from "../train/engine/weightTransfer.ts";
import type { Host } from "../train/host.ts";
import { checkStart, disposeModels, planRun, type RunFiles } from "../train/run/start.ts";
import { readImported } from "../train/save/importedSave.ts";
import { readSave } from "../train/save/readSave.ts";
import { restoreRun } from "../train/save/repeatSteps.ts";

/** The parts of a run without its loop. */
export interface OpenedModel {
  readonly config: RunConfig;
  readonly model: Model;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  /** Frees the model's memory. */
  close(): void;
}

/**
 * Files to open a model from: a save in one file, those of a run folder's `save`, those of a Hugging Face folder, whose
 * task the configuration names, or those of a PEFT folder, whose base it names too. What the configuration says stands above what a save does.
 */
export interface ModelSource {
  readonly files: readonly ModelFile[];
  readonly config?: RunConfigInput;
}

/** What a run is made from that has this model. */
async function runFilesOf({ files, config = {} }: ModelSource): Promise<RunFiles> {
  const named = new Map(files.map(({ name, bytes }) => [name, bytes]));
  if (named.has("config.json") && named.has("model.safetensors")) return startFromFolder(async (name) => named.get(name) ?? null, config);
  if (ADAPTER_FILES.every((name) => named.has(name))) return startFromAdapters(async (name) => named.get(name)!, config);
  const save = await readImported(files);
  const saved = readSave(save.runId, save.files);
  return { config: { ...saved.config, ...saved.settings, ...config }, saved };
}

/** Builds what a configuration names, or opens what files hold. Throws a sentence for what is wrong with them. */
export async function openModel(source: RunConfigInput | ModelSource, host: Host): Promise<OpenedModel> {
  const plan = planRun("files" in source ? await runFilesOf(source) : { config: source }, host.additions);
  checkStart(plan);
  const signals = { onPreparing() {}, onLost() {}, pause: host.yield, isWanted: () => true };
  const run = await restoreRun("model", plan, host, signals);
  const { model, task, renderer, rewards } = run;
  return { config: plan.config, model: modelHere(model), task, renderer, rewards, close: () => disposeModels(run) };
}
