// The same rollouts under other settings: a kept step with the rewards and advantages that follow, and, where that is asked
// for, its update taken on a copy with the answers of both sides. The copy is the run's model for as long as
// that takes; then its state is put back as it was, and what the update wrote went into copies of the step's arrays. A critic
// with a trunk of its own takes its update on the copy too, and is put back; its weights before a step are not kept, so it
// begins with those of now, and nothing else here depends on it: the advantages compare with the values of the time of sampling.
import { type AnyModel, type KeptState, type Model, tensorState } from "../../model/model.ts";
import type { OtherwiseStep, StepOnCopy } from "../../protocol/asked.ts";
import type { CommandOf } from "../../protocol/commands.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { StepGroups } from "../../protocol/messages.ts";
import { unknownName } from "../../protocol/problems.ts";
import { areWhole, type GroupRecord } from "../../protocol/records.ts";
import type { TraceReport } from "../../protocol/rollouts/traces.ts";
import type { AdvantageResult } from "../../rl/advantage/types.ts";
import { algorithms } from "../../rl/algorithms/index.ts";
import { usesCritic } from "../../rl/baselines/index.ts";
import { isKlOverRows } from "../../rl/kl/index.ts";
import { consecutiveSubarrays } from "../../rl/objective/types.ts";
import { underAlgorithm } from "../../rl/otherwise/algorithmSwitches.ts";
import { otherwise } from "../../rl/otherwise/otherwise.ts";
import { rescore, rewardsByHand, rewardsUnder, type ScoredAgain } from "../../rl/otherwise/rescore.ts";
import { Random } from "../../rl/random.ts";
import { checkRead } from "../../rl/tasks/custom/world.ts";
import type { Computing, OwnWork } from "../host.ts";
import { planRun } from "../start/plan.ts";
import { rewardModel } from "../start/runRewards.ts";
import type { ActiveRun } from "../start/start.ts";
import { criticValues, trainCritic } from "../step/critic.ts";
import { sampledAdvantages } from "../step/sampledAdvantages.ts";
import type { SampledStep } from "../step/sampledStep.ts";
import { arithmeticOf } from "../step/stepRecords.ts";
import { updatePolicy } from "../step/update/updatePolicy.ts";
import { hasWeightsOf } from "./alternatives.ts";
import { judgeOf, sampledAnswers } from "./askModel.ts";
import { scoredInFiles } from "./otherwiseInFiles.ts";

/** What an update asks of its model. */
type Updated = Parameters<typeof updatePolicy>[0]["model"];
type Request = Omit<CommandOf<"otherwise">, "id" | "type">;
type Copy = NonNullable<Request["copy"]>;
/** What there is to ask: a run, or its recording, which has no weights to take a step with. */
interface Asked {
  inspect(step: number): StepGroups | Promise<StepGroups>;
  atRest<T>(look: (run: ActiveRun) => Promise<T>): Promise<T>;
  /** Where they are shown from files of another program. */
  readonly recording?: { readonly traced?: { readonly report: TraceReport } };
}

/** A kept step whose arrays may be written to. */
export function writableCopy(step: SampledStep): SampledStep {
  const K = step.oldLogprobs_K.length;
  const next = consecutiveSubarrays(new Float32Array(2 * K));
  return {
    ...step,
    mask_K: step.mask_K.slice(),
    minibatches_Q: step.trajectories_Q.map(() => []),
    opened: null,
    trainEntropies_K: next(K),
    lossWeights_K: next(K),
  };
}

/** The state the copy begins with: that of the step's sampling where it is there, else that of now. */
export function startOf(run: ActiveRun, step: number, now: KeptState): Pick<StepOnCopy, "from"> & { readonly state: KeptState } {
  const { before } = run;
  if (before?.step === step) return { from: "before", state: { ...before.state, reference: tensorState(now).reference } };
  return { from: hasWeightsOf(run, step) ? "before" : "now", state: now };
}

/** Values of each sequence of a group, all its tokens together. */
function sumsOf(values_K: ArrayLike<number>, { batch, groupOf_Q }: SampledStep, promptIndex: number): readonly number[] {
  const sums: number[] = [];
  for (const [q, group] of groupOf_Q.entries()) {
    if (group !== promptIndex) continue;
    let sum = 0;
    for (let k = batch.sequenceStart_Q[q]!; k < batch.sequenceStart_Q[q + 1]!; k++) sum += values_K[k]!;
    sums.push(sum);
  }
  return sums;
}

/** Log-probs of each sequence of a group under the copy: of what is trained, as everywhere on the page. */
async function trainedLogprobs(model: Pick<AnyModel, "score">, step: SampledStep, promptIndex: number): Promise<readonly number[]> {
  const { logprobs_K } = await model.score(step.batch, "policy");
  return sumsOf(
    logprobs_K.map((logprob, k) => logprob * step.mask_K[k]!),
    step,
    promptIndex,
  );
}

/** The critic's mean value over the sampled tokens of a group. */
async function foreseen(critic: Model, step: SampledStep, promptIndex: number): Promise<number> {
  const { sequenceStart_Q } = step.batch;
  const sums = sumsOf(await criticValues(critic, step), step, promptIndex);
  const tokens = Array.from(step.groupOf_Q, (group, q) => (group === promptIndex ? sequenceStart_Q[q + 1]! - sequenceStart_Q[q]! : 0));
  return sums.reduce((sum, value) => sum + value, 0) / tokens.reduce((sum, count) => sum + count, 0);
}

/** The critic's own update, undone once it has been looked at; null where it has no trunk of its own. */
async function criticTaken({ critic }: ActiveRun, step: SampledStep, promptIndex: number): Promise<StepOnCopy["values"]> {
  const { returns_K } = sampledAdvantages(step, step.config);
  if (!critic || !returns_K) return null;
  const now = await critic.save();
  try {
    const before = await foreseen(critic, step, promptIndex);
    await trainCritic(critic, step, returns_K, step.config);
    return { before, after: await foreseen(critic, step, promptIndex) };
  } finally {
    await critic.load(now);
  }
}

/** The policy's update to its end, by its model or one that stands before it; nobody looks into it. */
export async function taken({ trainer }: ActiveRun, step: SampledStep, model: Updated): Promise<number | null> {
  const random = new Random(0);
  random.restore(trainer.save().random);
  const advantages = sampledAdvantages(step, step.config);
  const signals = { onProgress: () => {}, isOpened: () => false };
  const update = updatePolicy({ model, random }, step.config, step, advantages, step.step - 1, signals);
  for (;;) {
    const { done, value } = await update.next();
    if (done) return value.gradNorm;
  }
}

/** A kept step as it is under other settings, for its update: nothing of it is the run's own any more. */
function stepUnder(kept: SampledStep, config: RunConfig, rewards_P_G: SampledStep["rewards_P_G"], hasReference: boolean): SampledStep {
  // Without a critic every value is 0, as one says that has learnt nothing; without a reference no whole rows pull.
  const values_K = kept.values_K ?? (usesCritic(config) ? new Float32Array(kept.oldLogprobs_K.length) : null);
  const known = isKlOverRows(config) && !hasReference ? { ...config, klCoef: 0 } : config;
  return { ...writableCopy(kept), config: known, rewards_P_G, values_K };
}

/** The update of a kept step under other settings, on a copy. The model must be at rest. */
async function takenOnCopy(
  run: ActiveRun,
  at: number,
  { promptIndex, samples }: Copy,
  { config, rewards_P_G }: Awaited<ReturnType<typeof scoredOtherwise>>,
): Promise<StepOnCopy> {
  const { model, history } = run;
  const kept = history.get(at);
  if (!kept) throw new Error(`step ${at} is no longer kept for inspection`);
  const group = kept.groups[promptIndex];
  if (!group) throw new Error(`copy.promptIndex must be < ${kept.groups.length}, got ${promptIndex}`);
  const { example, trajectories } = group;
  const { promptTokens } = trajectories[0]!;
  const judge = judgeOf(run, example, promptTokens);
  const { maxCompletionTokens } = run.trainer.config;
  const question = { prompts: [promptTokens], promptOf_B: new Int32Array(samples), expectedTokens: maxCompletionTokens };
  const now = await model.save();
  const { from, state } = startOf(run, at, now);
  // What was sampled here is right or not.
  const judged_P_G = rewards_P_G.map((rewards) => rewards.map((reward) => ({ ...reward, success: reward.success === true })));
  const step = stepUnder(kept, config, judged_P_G, tensorState(now).reference !== null);
  try {
    await model.load(state);
    const original = await sampledAnswers(run, question, "policy", judge);
    const old_G = await trainedLogprobs(model, step, promptIndex);
    const values = await criticTaken(run, step, promptIndex);
    const gradNorm = await taken(run, step, model);
    const new_G = await trainedLogprobs(model, step, promptIndex);
    const changed = await sampledAnswers(run, question, "policy", judge);
    return { from, changes_G: new_G.map((sum, g) => sum - old_G[g]!), gradNorm, values, original, changed };
  } finally {
    await model.load(now);
  }
}

/** A step's settings with another algorithm's switches in the place of its own. */
function settingsOf({ config }: StepGroups, { algorithm }: Request): RunConfig {
  if (algorithm === undefined) return config;
  const other = algorithms.find(({ id }) => id === algorithm);
  const known = algorithms.map(({ id }) => id);
  if (!other) throw new Error(unknownName("algorithm", algorithm, known));
  return underAlgorithm(config, other, algorithms);
}

/** A step's rewards with those of one group as they were given by hand. */
function handedRewards(groups: readonly GroupRecord[], { promptIndex, rewards }: NonNullable<Request["byHand"]>) {
  const group = groups[promptIndex];
  if (!group) throw new Error(`promptIndex must be < ${groups.length}, got ${promptIndex}`);
  const count = group.trajectories.length;
  if (rewards.length !== count) throw new Error(`rewards must have ${count} numbers, one for each completion, got ${rewards.length}`);
  return rewardsByHand(groups, promptIndex, rewards);
}

/** What the completions of a step earn otherwise, and what follows. Throws InputError where rewards are not those of a configuration. */
async function scoredOtherwise(kept: StepGroups, request: Request, host: Computing & OwnWork) {
  const { step, phase, groups } = kept;
  const { settings, algorithm, byHand } = request;
  const taken = settingsOf(kept, request);
  if (!byHand && (settings || algorithm === undefined)) {
    // Checked as a run's configuration would be, whose settings they are.
    const plan = planRun({ config: { ...taken, ...settings, changes: [] } }, host.additions);
    checkRead(plan.config, host);
    return { plan: plan.config, ...(await rescore(groups, rewardModel(plan, host), plan.config)) };
  }
  if (phase === "sample") throw new Error(`step ${step} has no rewards yet: take it one phase further`);
  const rewards_P_G = byHand ? handedRewards(groups, byHand) : rewardsUnder(groups, taken);
  return { plan: taken, rewards_P_G, ...otherwise(groups, taken, rewards_P_G.flat()) };
}

/** A kept step under other settings, for whoever wants to know what they would have made of it. The run stays as it is. */
export async function otherwiseStep(asked: Asked, request: Request, host: Computing & OwnWork): Promise<OtherwiseStep> {
  const { step, copy: onCopy } = request;
  const kept = await asked.inspect(step);
  if (!areWhole(kept.groups)) throw new Error(`the recording has only some answers of step ${step} whole, and this needs all of them`);
  const { traced } = asked.recording ?? {};
  if (traced) return scoredInFiles(kept, request, traced.report, host);
  const scored = await scoredOtherwise(kept, request, host);
  const { plan, rewards_P_G, advantages, assumptions } = scored;
  const copy = onCopy ? await asked.atRest((run) => takenOnCopy(run, step, onCopy, scored)) : null;
  return { step, config: plan, groups: withRewards(kept.groups, rewards_P_G, advantages), assumptions, copy };
}

/** Groups as they were sampled, with other rewards and the advantages that follow. */
function withRewards(
  groups: readonly GroupRecord[],
  rewards_P_G: readonly (readonly ScoredAgain[])[],
  { advantages_Q, terms, zeroSpread_P }: AdvantageResult,
): readonly GroupRecord[] {
  let q = -1;
  return groups.map((group, p) => ({
    ...group,
    zeroSpread: zeroSpread_P[p] ?? false,
    trajectories: group.trajectories.map(({ turnRewards: _, arithmetic: __, ...trajectory }, g) => {
      q += 1;
      const { total, parts, turns, success } = rewards_P_G[p]![g]!;
      return {
        ...trajectory,
        rewardParts: parts,
        reward: total,
        advantage: advantages_Q[q]!,
        success,
        ...(turns ? { turnRewards: turns } : {}),
        ...arithmeticOf(terms, q),
      };
    }),
  }));
}
