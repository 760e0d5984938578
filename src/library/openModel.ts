// The parts of a run without its loop: model, task, renderer and rewards of a configuration, for whoever samples
// and updates by hand.

import type { Model } from "../model/model.ts";
import type { RunConfig, RunConfigInput } from "../protocol/config.ts";
import type { TaskInstance } from "../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../rl/types.ts";
import type { Host } from "../train/host.ts";
import { disposeModels, planRun, prepareRun } from "../train/run/start.ts";

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

/** Builds what a configuration names. Throws InputError for what is wrong with it. */
export async function openModel(config: RunConfigInput, host: Host): Promise<OpenedModel> {
  const plan = planRun({ config }, host.additions);
  const run = await prepareRun("model", plan, host, { onPreparing() {}, onLost() {}, pause: host.yield });
  const { model, task, renderer, rewards } = run;
  return { config: plan.config, model, task, renderer, rewards, close: () => disposeModels(run) };
}
