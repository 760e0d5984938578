// The start of a run from its opened plan: the model on a backend, its rewards, and the trainer around them, ready for the first step.

import type { AnyModel, KeptState, ModelState } from "../../model/model.ts";
import { TabularModel } from "../../model/tabularModel.ts";
import { beginsWithRun, type LiveSettings } from "../../protocol/config/configFacts.ts";
import { errorText, InputError } from "../../protocol/problems.ts";
import type { BaselineRecord, EvaluationRecord, ProbeRecord, StepRecord } from "../../protocol/records.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import { Random } from "../../rl/random.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import { lastResortRemark } from "../backend/chooseBackend.ts";
import { tokenizerId } from "../backend/loadRenderer.ts";
import type { Additions, Clock, Computing, Host, OwnWork } from "../host.ts";
import type { KeptCheckpoint } from "../save/kept/keptCheckpoints.ts";
import { KeptSteps } from "../save/kept/keptSteps.ts";
import { ReinforcementTrainer } from "../step/reinforcement.ts";
import { StepHistory } from "../step/sampledStep.ts";
import { dueSettings } from "../step/settings.ts";
import { SupervisedTrainer } from "../step/supervised.ts";
import type { Trainer } from "../step/trainer.ts";
import { type BuiltModel, buildTransformer, type RunSignals } from "./model.ts";
import { type OpenedPlan, openPlan } from "./openedPlan.ts";
import { planRun, type RunPlan } from "./plan.ts";
import { firstOf, pausing, tooLongProblem } from "./problemLengths.ts";
import { checkCode } from "./rewardParts.ts";
import { judgesBackend, type RunRewards, runRewards, withJudges } from "./runRewards.ts";
import { buildOnServer } from "./serverRun.ts";

/** The weights that a step was sampled with, and the moments beside them. */
interface WeightsBefore {
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
  /** When its save was last written, where it goes on from that. */
  readonly savedAt?: number;
  /** Checkpoints that its save keeps beside the last one. */
  readonly checkpoints?: readonly KeptCheckpoint[];
  /** It begins with weights of another run, which its configuration alone does not give: its save needs a checkpoint at once. */
  readonly isInherited: boolean;
  /** The weights of the newest step's sampling, while somebody watches; null where they were not kept. */
  before: WeightsBefore | null;
  /** Lets commands in, where it was long since the last time: within a step no long stretch of work goes without. */
  readonly pause: () => Promise<void>;
  /** What is said once as the run begins: how it goes on, and by what, where that is not as expected; null where all is. */
  remark: string | null;
}

/** Frees the models of a run, and those of its judges where it has got them. */
export function disposeModels({ model, critic, rewards }: BuiltModel & Partial<Pick<ActiveRun, "rewards">>): void {
  model.dispose();
  critic?.dispose();
  rewards?.dispose();
}

/** Refuses settings that a run could not have been started with beside those in force, which stay as they are then. */
export function checkSettings({ trainer }: Pick<ActiveRun, "trainer">, settings: LiveSettings, additions?: Additions): RunPlan {
  const before = trainer.config.autosaveEvery;
  const after = settings.autosaveEvery ?? trainer.config.autosaveEvery;
  // What went before without being saved could not be saved later.
  const message = `autosaveEvery must ${before === 0 ? "stay 0" : "be >= 1"} while a run goes on, got ${after}`;
  if ((before === 0) !== (after === 0)) throw new InputError([{ field: "autosaveEvery", message }]);
  return planRun({ config: { ...trainer.config, ...settings, changes: [] } }, additions);
}

/**
 * Plans and tries the rewards that a run is to have from its next step on, as at a start, and opens its judges: what is
 * refused leaves it as it is. A recording has none to change.
 */
export async function checkRewards({ trainer, rewards }: ActiveRun, settings: LiveSettings, host: OwnWork): Promise<void> {
  const plan = checkSettings({ trainer }, settings, host.additions);
  await checkCode(plan, host);
  // Those in force are held too, whatever comes of the others.
  const { judges, changes } = trainer.config;
  await rewards.holdJudges({ ...plan.config, changes: [{ afterStep: 0, settings: { judges } }, ...changes] });
}

async function buildModel(runId: string, plan: OpenedPlan, host: Computing, signals: RunSignals): Promise<BuiltModel> {
  const { config, instance, renderer } = plan;
  if (config.backend === "tinker") return buildOnServer(runId, plan, host, signals);
  if (config.model === "transformer") return buildTransformer(plan, host, signals);
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

/** The run around a built model, where its checkpoint left it. */
async function assembleRun(
  runId: string,
  plan: OpenedPlan,
  built: BuiltModel,
  rewards: RunRewards,
  clock: Clock & Pick<Host, "usage">,
  { onNotice }: Pick<RunSignals, "onNotice">,
): Promise<ActiveRun> {
  const { config, instance, renderer, saved } = plan;
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
    now: () => clock.now(),
    ...(clock.usage ? { usage: () => clock.usage!() } : {}),
    pause: pausing(clock),
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
    remark: lastResortRemark(config, built.backend),
    ...(plan.parent ? { parent: plan.parent } : {}),
    ...(plan.savedAt === undefined ? {} : { savedAt: plan.savedAt }),
    ...(saved?.checkpoints ? { checkpoints: saved.checkpoints } : {}),
    isInherited: beginsWithRun(config),
  };
}

/** Builds the run of an opened plan; reports what is being prepared. What fails leaves no backend behind. */
export async function buildRun(runId: string, plan: OpenedPlan, host: Host, signals: RunSignals): Promise<ActiveRun> {
  const built = await buildModel(runId, plan, host, signals);
  const rewards = runRewards(plan, host, judgesBackend(plan.config, built));
  try {
    // How long a server's sequences may be only the server says.
    if (plan.config.backend === "tinker" && !plan.saved) {
      const tooLong = await tooLongProblem({ ...plan, clock: host }, built.model.policy().maxPositions);
      if (tooLong) throw new InputError([tooLong]);
    }
    const backend = await withJudges(built.backend, rewards, plan.config, signals);
    return await assembleRun(runId, plan, { ...built, backend }, rewards, host, signals);
  } catch (error) {
    disposeModels({ ...built, rewards });
    throw error;
  }
}

/** Opens and builds a planned run, whatever memory it may take. */
export async function prepareRun(runId: string, plan: RunPlan, host: Host, signals: RunSignals): Promise<ActiveRun> {
  return buildRun(runId, await openPlan(plan, host), host, signals);
}
