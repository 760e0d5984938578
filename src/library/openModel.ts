// A model by itself, to ask, and the parts of a run without its loop: model, task, renderer and rewards of a
// configuration, for whoever samples and updates by hand. It holds memory and threads of its own until close() is
// called or nobody holds it any more.

import { ADAPTER_FILES } from "../model/folder/adapterFolder.ts";
import { type Model, modelHere } from "../model/model.ts";
import type { RunConfig, RunConfigInput } from "../protocol/config.ts";
import type { ModelFile } from "../protocol/messages.ts";
import { beginningWith } from "../protocol/models/modelName.ts";
import { LabError, labError } from "../protocol/problems.ts";
import type { TaskInstance } from "../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../rl/types.ts";
import type { Host } from "../train/host.ts";
import { answerTo } from "../train/queries/askModel.ts";
import { restoreRun } from "../train/run/resume/repeatSteps.ts";
import { readImported } from "../train/save/importedSave.ts";
import { readSave } from "../train/save/readSave.ts";
import { openPlan } from "../train/start/openedPlan.ts";
import { checkStart, planRun, type RunFiles } from "../train/start/plan.ts";
import { disposeModels } from "../train/start/start.ts";
import { startFromAdapters, startFromFolder } from "../train/start/weightTransfer.ts";

/** A model to ask, and to sample and train by hand: the parts of a run without its loop. */
export interface OpenedModel {
  readonly config: RunConfig;
  readonly model: Model;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  /**
   * The likeliest answer to a prompt; to a problem of the task's own, put as the task puts it. For samples and their
   * probabilities there is `generate`.
   */
  ask(prompt: string): Promise<string>;
  /** Frees the model with its memory and threads; who asks it afterwards hears that it is closed. */
  close(): void;
}

/**
 * Files to open a model from: a save in one file, those of a run folder's `save`, those of a Hugging Face folder, whose
 * task the configuration names, or those of a PEFT folder, whose base it names too. What the configuration says stands
 * above what a save does.
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
  const save = readImported(files);
  const saved = readSave(save.runId, save.files);
  return { config: { ...saved.config, ...saved.settings, ...config }, saved };
}

/** Longest answer, in tokens, where no configuration says how long. */
const LONGEST_ALONE = 200;

/** A pretrained model that is asked by its name: its weights stand still, beside adapters that do nothing yet. */
const named = (checkpoint: string): RunConfigInput => ({
  task: "prompts",
  maxCompletionTokens: LONGEST_ALONE,
  ...beginningWith(checkpoint, { loraRank: 0 }),
});

async function open(source: string | RunConfigInput | ModelSource, host: Host): Promise<OpenedModel> {
  const config = typeof source === "string" ? named(source) : source;
  const plan = planRun("files" in config ? await runFilesOf(config) : { config }, host.additions);
  checkStart(plan);
  const signals = { onPreparing() {}, onLost() {}, pause: host.yield, isWanted: () => true };
  const run = await restoreRun("model", await openPlan(plan, host), host, signals);
  const { model, task, renderer, rewards } = run;
  let isClosed = false;
  return {
    config: plan.config,
    model: modelHere(model),
    task,
    renderer,
    rewards,
    async ask(prompt) {
      if (isClosed) throw new LabError("the model is closed: open it again to ask it", "closed");
      return answerTo(run, prompt).catch((error: unknown) => {
        throw labError(error);
      });
    },
    close() {
      isClosed = true;
      disposeModels(run);
    },
  };
}

/**
 * Opens a pretrained model by its name, what a configuration names, or what files hold. Rejects with a LabError that
 * says what is wrong with them.
 */
export function openModel(source: string | RunConfigInput | ModelSource, host: Host): Promise<OpenedModel> {
  return open(source, host).catch((error: unknown) => {
    throw labError(error);
  });
}
