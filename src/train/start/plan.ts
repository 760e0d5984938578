// The plan of a run: all that follows from its configuration, in which whatever can be refused is refused before anything is read or built.
import type { ModelWeights } from "../../model/model.ts";
import type { TensorSet } from "../../model/tensors.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { InputError, showValue } from "../../protocol/problems.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import { algorithms } from "../../rl/algorithms/index.ts";
import { resolveConfig } from "../../rl/resolveConfig.ts";
import { rewardRules } from "../../rl/rewards/library/index.ts";
import { checkTaskSettings, configuredTask } from "../../rl/tasks/configuredTask.ts";
import { customTaskOf } from "../../rl/tasks/custom/customTask.ts";
import { tasks } from "../../rl/tasks/index.ts";
import type { Task, TaskInstance } from "../../rl/tasks/task.ts";
import type { Additions } from "../host.ts";
import type { SavedState } from "../save/savedState.ts";
import { checkChanges } from "../step/settings.ts";
import { changesRewards, rewardParts } from "./rewardParts.ts";

/** What a run is made from: a configuration, and where a continued run stood. */
export interface RunFiles {
  readonly config: RunConfigInput;
  readonly saved?: SavedState;
  /** When that was recorded, where the run keeps its save: it is not recorded anew by being opened. */
  readonly savedAt?: number;
  /** Weights of the run before, to begin with. */
  readonly weights?: ModelWeights;
  /** Adapters to begin with, beside the base that the configuration names. */
  readonly adapters?: TensorSet;
  /** Whose weights these are; a saved run names its own. */
  readonly parent?: RunParent;
}

export interface RunPlan {
  readonly config: RunConfig;
  readonly task: Task;
  readonly instance: TaskInstance;
  /** The parts of the reward that the task brings by itself. */
  readonly taskRewards: TaskInstance["rewards"];
  readonly saved: SavedState | null;
  readonly savedAt?: number;
  readonly weights: ModelWeights | null;
  readonly adapters: TensorSet | null;
  readonly parent?: RunParent;
}

/** Checks everything that can be checked without building anything. Throws InputError. @param additions those of the host. */
export function planRun(files: RunFiles, additions?: Additions): RunPlan {
  const rules = [...rewardRules, ...(additions?.rewardRules ?? [])];
  const known = [...tasks, ...(additions?.tasks ?? [])];
  const entries = known.map(({ entry }) => entry);
  const resolved = (input: RunConfigInput) => resolveConfig(input, entries, algorithms, rules);
  const config = checkChanges(
    resolved(files.config),
    (inForce) => (changesRewards(inForce.settings) || !files.saved) && resolved(inForce.config),
  );
  const task = customTaskOf(config) ?? known.find(({ entry }) => entry.id === config.task);
  if (!task) throw new Error(`internal: task ${config.task} passed the check but is not registered`);
  const created = task.create(config.taskOptions, config.seed);
  checkTaskSettings(created, config, task.rendererKind !== "digits");
  const instance = configuredTask({ ...created, rewards: rewardParts(created.rewards, config, additions) }, config);
  if (config.model === "tabular" && instance.tableTokens === undefined) {
    const which = `${config.task}${instance.fixedLength === undefined ? "" : " with these options"}`;
    throw new InputError([{ field: "model", message: `model must be "transformer" for the task ${which}, got "tabular"` }]);
  }
  if (config.backend === "tinker" && task.rendererKind === "digits") {
    const message = `task must be one that reads and writes text with backend: tinker, got ${showValue(config.task)}: a server's model has its own tokens`;
    throw new InputError([{ field: "task", message }]);
  }
  checkSpeaker(config, instance);
  checkFrozenStart(config, instance);
  // A fixed-length task decides how long completions are, and none of them is overlong.
  const { fixedLength } = instance;
  const whole = fixedLength === undefined ? config : { ...config, maxCompletionTokens: fixedLength, overlongBuffer: 0 };
  const { saved = null, weights = null, adapters = null, parent = saved?.parent } = files;
  const { savedAt } = files;
  const began = { ...(parent ? { parent } : {}), ...(savedAt === undefined ? {} : { savedAt }) };
  return { config: whole, task, instance, taskRewards: created.rewards, saved, weights, adapters, ...began };
}

/** Refuses worked conversations that nobody can speak in. */
function checkSpeaker({ kind, task, customTasks }: RunConfig, { envs }: TaskInstance): void {
  // A task that is a program has a speaker, or its configuration file was refused.
  if (kind !== "supervised" || !envs.stepEnvs || !Object.hasOwn(customTasks, task)) return;
  const message = `kind must be "reinforcement" for the task ${task}: nobody says what worked conversations with its environment say`;
  throw new InputError([{ field: "kind", message }]);
}

/** Refuses a run that is to begin with weights that nobody has. */
export function checkStart({ config, saved, weights }: RunPlan): void {
  if (config.model === "tabular" || config.startFrom !== "run" || weights || saved?.checkpoint) return;
  const message = 'startFrom must be "checkpoint" or "random" where no run hands its weights on, got "run"';
  throw new InputError([{ field: "startFrom", message }]);
}

/** What an agent plays must stay the start: the reference that speaks for it may not be refreshed. */
function checkFrozenStart(config: RunConfig, { startAgents = [] }: TaskInstance): void {
  const asked = [config, ...config.changes.map(({ settings }) => settings)].map(({ referenceSyncEvery }) => referenceSyncEvery ?? 0);
  const refresh = asked.find((every) => every !== 0);
  if (startAgents.length === 0 || refresh === undefined) return;
  const message = `referenceSyncEvery must be 0 where the frozen start plays the ${startAgents.join(" and the ")}, got ${refresh}`;
  throw new InputError([{ field: "referenceSyncEvery", message }]);
}
