// From a configuration to a run that can take its first step: the task, the model on a backend, the
// trainer. What can be refused is refused in planRun, before anything is built.
import type { Model, ModelState } from "../../model/model.ts";
import { TabularModel } from "../../model/tabularModel.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { InputError } from "../../protocol/problems.ts";
import { algorithms } from "../../rl/algorithms/index.ts";
import { Random } from "../../rl/random.ts";
import { resolveConfig } from "../../rl/resolveConfig.ts";
import { libraryParts, rewardRules } from "../../rl/rewards/library/index.ts";
import { weightedReward } from "../../rl/rewards/weightedReward.ts";
import { tasks } from "../../rl/tasks/index.ts";
import type { Task, TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../../rl/types.ts";
import { type BuiltModel, buildTransformer, type RunSignals } from "../engine/buildTransformer.ts";
import { loadRenderer } from "../engine/loadRenderer.ts";
import type { Additions, Host } from "../host.ts";
import type { SavedState } from "../save/savedState.ts";
import { ReinforcementTrainer } from "../step/reinforcement.ts";
import { SupervisedTrainer } from "../step/supervised.ts";
import type { ActiveRun } from "./activeRun.ts";
import { checkChanges } from "./settings.ts";
import { StepHistory } from "./stepHistory.ts";

/** What a run is made from: a configuration, and where a continued run stood. */
export interface RunFiles {
  readonly config: RunConfigInput;
  readonly saved?: SavedState;
  /** Weights that the run before hands on. */
  readonly weights_N?: Float32Array;
}

export interface RunPlan {
  readonly config: RunConfig;
  readonly task: Task;
  readonly instance: TaskInstance;
  readonly saved: SavedState | null;
  readonly weights_N: Float32Array | null;
}

/** Checks everything that can be checked without building anything. Throws InputError. @param additions those of the host. */
export function planRun(files: RunFiles, additions?: Additions): RunPlan {
  const rules = [...rewardRules, ...(additions?.rewardRules ?? [])];
  const known = [...tasks, ...(additions?.tasks ?? [])];
  const config = resolveConfig(
    files.config,
    known.map(({ entry }) => entry),
    algorithms,
    rules,
  );
  checkChanges(config);
  const task = known.find(({ entry }) => entry.id === config.task);
  if (!task) throw new Error(`internal: task ${config.task} passed the check but is not registered`);
  const created = task.create(config.taskOptions, config.seed);
  const instance = { ...created, rewards: [...created.rewards, ...libraryParts(config.rewardRules, rules)] };
  if (config.model === "tabular" && instance.tableTokens === undefined) {
    const which = `${config.task}${instance.fixedLength === undefined ? "" : " with these options"}`;
    throw new InputError([{ field: "model", message: `model must be "transformer" for the task ${which}, got "tabular"` }]);
  }
  checkFrozenStart(config, instance);
  // A fixed-length task decides how long completions are, and none of them is overlong.
  const { fixedLength } = instance;
  const resolved = fixedLength === undefined ? config : { ...config, maxCompletionTokens: fixedLength, overlongBuffer: 0 };
  return { config: resolved, task, instance, saved: files.saved ?? null, weights_N: files.weights_N ?? null };
}

/** Refuses a run that is to begin with weights that nobody has. */
export function checkStart({ config, saved, weights_N }: RunPlan): void {
  if (config.model === "tabular" || config.startFrom !== "run" || weights_N || saved?.checkpoint) return;
  const message = 'startFrom must be "checkpoint" or "random" where no run hands its weights on, got "run"';
  throw new InputError([{ field: "startFrom", message }]);
}

/** What an agent plays must stay the start: the reference that speaks for it may not be refreshed. */
function checkFrozenStart(config: RunConfig, { startAgents = [] }: TaskInstance): void {
  const asked = [config, ...config.changes.map(({ settings }) => settings)].map(({ referenceSyncEvery }) => referenceSyncEvery ?? 0);
  const refresh = asked.find((every) => every !== 0);
  if (startAgents.length === 0 || refresh === undefined) return;
  const message = `referenceSyncEvery must be 0 where the ${startAgents.join(" and the ")} plays the frozen start, got ${refresh}`;
  throw new InputError([{ field: "referenceSyncEvery", message }]);
}

/** What a plan's conversations are scored by. */
export function rewardModel({ config, instance }: Pick<RunPlan, "config" | "instance">): RewardModel {
  return weightedReward(instance, config.rewardWeights, { gates: config.rewardGates, clip: config.rewardClip });
}

async function buildModel(plan: RunPlan, renderer: Renderer, host: Host, signals: RunSignals): Promise<BuiltModel> {
  const { config, instance } = plan;
  if (config.model === "transformer") return buildTransformer(plan, renderer, host, signals);
  const model = new TabularModel(instance.fixedLength ?? config.maxCompletionTokens, instance.tableTokens ?? renderer.vocabularySize);
  const reason = "A logits table is small enough for plain JavaScript.";
  const startWeights = async () => new Float64Array(model.report.parameters);
  return {
    model,
    critic: null,
    startWeights,
    backend: { id: "table", title: "Plain JavaScript", reason, threads: 1, tried: [] },
    transformer: null,
  };
}

/** Takes saved weights if they are those of this model. */
async function loadModel(owner: string, model: Model, state: ModelState | null): Promise<void> {
  if (!state) throw new Error(`the save has no weights of the ${owner}`);
  const { parameters } = model.report;
  if (state.policy.length !== parameters)
    throw new Error(`saved weights of the ${owner} must have ${parameters} values, got ${state.policy.length}`);
  await model.load(state);
}

/** The run around a built model, where its checkpoint left it. */
async function assembleRun(runId: string, plan: RunPlan, renderer: Renderer, built: BuiltModel, now: () => number): Promise<ActiveRun> {
  const { config, instance, saved } = plan;
  const { model, critic } = built;
  const parts = {
    config,
    model,
    critic,
    task: instance,
    rewards: rewardModel(plan),
    renderer,
    loader: instance.trainLoader(),
    random: new Random(config.seed),
    now,
  };
  const trainer = config.kind === "supervised" ? new SupervisedTrainer(parts) : new ReinforcementTrainer(parts);
  const checkpoint = saved?.checkpoint;
  if (checkpoint) {
    await loadModel("model", model, checkpoint.model);
    if (critic) await loadModel("critic", critic, checkpoint.critic);
    trainer.restore(checkpoint.trainer);
  } else if ((instance.startAgents ?? []).length > 0) {
    await model.refreshReference(1);
  }
  return {
    runId,
    trainer,
    ...built,
    task: instance,
    renderer,
    rewards: parts.rewards,
    steps: [...(saved?.steps ?? [])],
    evaluations: [...(saved?.evaluations ?? [])],
    baselines: [...(saved?.baselines ?? [])],
    probes: [...(saved?.probes ?? [])],
    history: new StepHistory(),
    before: null,
    remark: null,
    isHandedOn: config.model === "transformer" && config.startFrom === "run",
  };
}

/** Builds a planned run; reports what is being prepared. What fails leaves no backend behind. */
export async function prepareRun(runId: string, plan: RunPlan, host: Host, signals: RunSignals): Promise<ActiveRun> {
  const renderer = await loadRenderer(plan.task.rendererKind, host);
  const built = await buildModel(plan, renderer, host, signals);
  try {
    return await assembleRun(runId, plan, renderer, built, host.now);
  } catch (error) {
    built.model.dispose();
    built.critic?.dispose();
    throw error;
  }
}
