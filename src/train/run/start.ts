// The start of a run, from a configuration to a run that can take its first step: the plan, in which whatever
// can be refused is refused before anything is built; the model on a backend; the trainer around it.

import type { AnyModel, KeptState, ModelState, ModelWeights } from "../../model/model.ts";
import { TabularModel } from "../../model/tabularModel.ts";
import type { TensorSet } from "../../model/tensors.ts";
import { beginsWithRun, type LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import { errorText, InputError, showValue } from "../../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, ProbeRecord, StepRecord } from "../../protocol/records.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import { algorithms } from "../../rl/algorithms/index.ts";
import { Random } from "../../rl/random.ts";
import { resolveConfig } from "../../rl/resolveConfig.ts";
import { rewardRules } from "../../rl/rewards/library/index.ts";
import { checkTaskSettings, configuredTask } from "../../rl/tasks/configuredTask.ts";
import { customTaskOf } from "../../rl/tasks/custom/customTask.ts";
import { prepareTask } from "../../rl/tasks/custom/world.ts";
import { tasks } from "../../rl/tasks/index.ts";
import type { Task, TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import { rendererOf, tokenizerId } from "../engine/loadRenderer.ts";
import { firstOf, tooLongProblem } from "../engine/problemLengths.ts";
import type { Additions, Host } from "../host.ts";
import type { KeptCheckpoint } from "../save/kept/keptCheckpoints.ts";
import { KeptSteps } from "../save/kept/keptSteps.ts";
import type { SavedState } from "../save/savedState.ts";
import { ReinforcementTrainer } from "../step/reinforcement.ts";
import { StepHistory } from "../step/sampledStep.ts";
import { checkChanges, dueSettings } from "../step/settings.ts";
import { SupervisedTrainer } from "../step/supervised.ts";
import type { Trainer } from "../step/trainer.ts";
import { type BuiltModel, buildTransformer, type RunSignals } from "./model.ts";
import { changesRewards, checkCode, judgesBackend, type RunRewards, rewardParts, runRewards, withJudges } from "./runRewards.ts";
import { buildOnServer } from "./serverRun.ts";

/** The weights that a step was sampled with, and the moments beside them. */
export interface WeightsBefore {
  readonly step: number;
  readonly state: ModelState;
}

/** One run while it is alive: its trainer and model, what it has recorded and what can be inspected. */
export interface ActiveRun extends BuiltModel {
  readonly runId: string;
  readonly trainer: Trainer;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RunRewards;
  readonly steps: StepRecord[];
  readonly evaluations: EvaluationRecord[];
  readonly baselines: BaselineRecord[];
  readonly probes: ProbeRecord[];
  /** Steps whose rollouts its save keeps. */
  readonly kept: KeptSteps;
  readonly history: StepHistory;
  readonly parent?: RunParent;
  /** Checkpoints that its save keeps beside the last one. */
  readonly checkpoints?: readonly KeptCheckpoint[];
  /** It begins with weights of another run, which its configuration alone does not give: its save needs a checkpoint at once. */
  readonly isInherited: boolean;
  /** The weights of the newest step's sampling, while somebody watches; null where they were not kept. */
  before: WeightsBefore | null;
  /** Lets commands in, where it was long since the last time: within a step no long stretch of work goes without. */
  readonly pause: () => Promise<void>;
  /** What came out differently when steps were repeated; null where nothing did. */
  remark: string | null;
}

/** Frees the models of a run, and those of its judges where it has got them. */
export function disposeModels({ model, critic, rewards }: BuiltModel & Partial<Pick<ActiveRun, "rewards">>): void {
  model.dispose();
  critic?.dispose();
  rewards?.dispose();
}

/** What a run is made from: a configuration, and where a continued run stood. */
export interface RunFiles {
  readonly config: RunConfigInput;
  readonly saved?: SavedState;
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
  return { config: whole, task, instance, taskRewards: created.rewards, saved, weights, adapters, ...(parent ? { parent } : {}) };
}

/** Refuses worked conversations that nobody can speak in. */
function checkSpeaker({ kind, task, customTasks }: RunConfig, { envs }: TaskInstance): void {
  // A task that is a program has a speaker, or its configuration file was refused.
  if (kind !== "supervised" || !envs.stepEnvs || !Object.hasOwn(customTasks, task)) return;
  const message = `kind must be "reinforcement" for the task ${task}: nobody says what worked conversations with its environment say`;
  throw new InputError([{ field: "kind", message }]);
}

/** Refuses settings that a run could not have been started with beside those in force, which stay as they are then. */
export function checkSettings({ trainer }: Pick<ActiveRun, "trainer">, settings: LiveSettings, additions?: Additions): RunPlan {
  const [before, after] = [trainer.config.autosaveEvery, settings.autosaveEvery ?? trainer.config.autosaveEvery];
  // What went before without being saved could not be saved later.
  const message = `autosaveEvery must ${before === 0 ? "stay 0" : "be >= 1"} while a run goes on, got ${after}`;
  if ((before === 0) !== (after === 0)) throw new InputError([{ field: "autosaveEvery", message }]);
  return planRun({ config: { ...trainer.config, ...settings, changes: [] } }, additions);
}

/** Plans and tries the rewards that a run is to have from its next step on, as at a start, and opens its judges: what is refused leaves it as it is. A recording has none to change. */
export async function checkRewards({ trainer, rewards }: ActiveRun, settings: LiveSettings, host: Host): Promise<void> {
  const plan = checkSettings({ trainer }, settings, host.additions);
  await checkCode(plan, host);
  // Those in force are held too, whatever comes of the others.
  const { judges, changes } = trainer.config;
  await rewards.holdJudges({ ...plan.config, changes: [{ afterStep: 0, settings: { judges } }, ...changes] });
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
  const message = `referenceSyncEvery must be 0 where the ${startAgents.join(" and the ")} plays the frozen start, got ${refresh}`;
  throw new InputError([{ field: "referenceSyncEvery", message }]);
}

async function buildModel(runId: string, plan: RunPlan, renderer: Renderer, host: Host, signals: RunSignals): Promise<BuiltModel> {
  const { config, instance } = plan;
  if (config.backend === "tinker") return buildOnServer(runId, config, renderer.vocabularySize, host, signals);
  if (config.model === "transformer") return buildTransformer(plan, renderer, host, signals);
  const model = new TabularModel(instance.fixedLength ?? config.maxCompletionTokens, instance.tableTokens ?? renderer.vocabularySize);
  const reason = "A logits table is small enough for plain JavaScript.";
  const { policy: uniform } = await model.save();
  return {
    model,
    critic: null,
    atStart: (look) => model.withReference(uniform, look),
    wholeWeights: async () => (await model.save()).policy,
    adapterFiles: async () => {
      throw new Error("a logits table has no adapters");
    },
    backend: { id: "table", title: "Plain JavaScript", reason, threads: 1, tried: [] },
    transformer: null,
  };
}

/** Takes saved weights if they are those of this model. */
async function loadModel(owner: string, model: AnyModel, state: KeptState | null): Promise<void> {
  if (!state) throw new Error(`the save has no weights of the ${owner}`);
  try {
    await model.load(state);
  } catch (error) {
    throw new Error(`the save does not fit the ${owner}: ${errorText(error)}`, { cause: error });
  }
}

/** Longest stretch of work before pending commands are let in. */
const YIELD_EVERY_MS = 8;

function pausing(host: Pick<Host, "now" | "yield">): () => Promise<void> {
  let pausedAt = 0;
  return async () => {
    if (host.now() - pausedAt < YIELD_EVERY_MS) return;
    await host.yield();
    pausedAt = host.now();
  };
}

/** The run around a built model, where its checkpoint left it. */
async function assembleRun(
  runId: string,
  plan: RunPlan,
  renderer: Renderer,
  built: BuiltModel,
  rewards: RunRewards,
  host: Host,
  { onNotice }: Pick<RunSignals, "onNotice">,
): Promise<ActiveRun> {
  const { config, instance, saved } = plan;
  const { model, critic } = built;
  const parts = {
    config,
    model,
    critic,
    task: instance,
    rewards,
    renderer,
    loader: instance.trainLoader(),
    random: new Random(config.seed),
    now: () => host.now(),
    ...(host.usage ? { usage: () => host.usage!() } : {}),
    pause: pausing(host),
    onTooLong: firstOf((why) => onNotice?.({ message: `A problem that is too long is left out, and each one after it: ${why}` })),
  };
  const trainer = config.kind === "supervised" ? new SupervisedTrainer(parts) : new ReinforcementTrainer(parts);
  const checkpoint = saved?.checkpoint;
  if (checkpoint) {
    const tokenizer = tokenizerId(renderer);
    if (checkpoint.tokenizer !== tokenizer)
      throw new Error(`the save's tokenizer must be ${tokenizer}, got ${checkpoint.tokenizer}: its ids stand for other texts`);
    await loadModel("model", model, checkpoint.model);
    if (critic) await loadModel("critic", critic, checkpoint.critic);
    trainer.restore(checkpoint.trainer);
  } else if ((instance.startAgents ?? []).length > 0) {
    await model.refreshReference(1);
  }
  // A run that repeats one with changes begins with what held at first.
  parts.rewards.follow({ ...trainer.config, ...(trainer.step === 0 ? dueSettings(trainer.config, 0) : {}) });
  return {
    runId,
    trainer,
    ...built,
    task: instance,
    renderer,
    rewards: parts.rewards,
    pause: parts.pause,
    steps: [...(saved?.steps ?? [])],
    evaluations: [...(saved?.evaluations ?? [])],
    baselines: [...(saved?.baselines ?? [])],
    probes: [...(saved?.probes ?? [])],
    kept: new KeptSteps(saved?.kept),
    history: new StepHistory(),
    before: null,
    remark: null,
    ...(plan.parent ? { parent: plan.parent } : {}),
    ...(saved?.checkpoints ? { checkpoints: saved.checkpoints } : {}),
    isInherited: beginsWithRun(config),
  };
}

/** Builds a planned run; reports what is being prepared. What fails leaves no backend behind. */
export async function prepareRun(runId: string, plan: RunPlan, host: Host, signals: RunSignals): Promise<ActiveRun> {
  await prepareTask(plan, host);
  const renderer = await rendererOf(plan.config, plan.task.rendererKind, host);
  const built = await buildModel(runId, plan, renderer, host, signals);
  const rewards = runRewards(plan, host, judgesBackend(plan.config, built));
  try {
    // How long a server's sequences may be only the server says.
    if (plan.config.backend === "tinker" && !plan.saved) {
      const tooLong = await tooLongProblem({ ...plan, renderer, host }, built.model.policy().maxPositions);
      if (tooLong) throw new InputError([tooLong]);
    }
    const backend = await withJudges(built.backend, rewards, plan.config, signals);
    return await assembleRun(runId, plan, renderer, { ...built, backend }, rewards, host, signals);
  } catch (error) {
    disposeModels({ ...built, rewards });
    throw error;
  }
}
