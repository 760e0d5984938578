// Why a token moved: the update of a kept step taken on a copy, and how much of the change of this token's log-prob came
// from each token's push, from Adam's momentum and from weight decay. The gradient of the token's log-prob is taken along the
// way that the weights went (integrated gradients, Sundararajan et al. 2017), so that times the way it is the whole change. A
// push is w · ∇log π, and what the optimizer makes of it is linear in it once Adam's second moments are given: its share is the
// similarity of the two gradients in Adam's scaling (as in Pruthi et al. 2020, TracIn). The similarities of all tokens at once are the
// changes of their log-probs along one direction, measured by two scoring passes.
import type { Objective, PackedBatch } from "../../model/backend.ts";
import { type Model, type ModelState, modelHere, tensorState, type UpdateRequest } from "../../model/model.ts";
import type { TensorValues } from "../../model/tensors.ts";
import type { Attribution, PushShare } from "../../protocol/asked.ts";
import type { CommandOf } from "../../protocol/commands.ts";
import type { EventBody } from "../../protocol/messages.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { ActiveRun } from "../start/start.ts";
import { type SampledStep, saidByStart } from "../step/sampledStep.ts";
import { packGroups } from "../step/update/batch.ts";
import { startOf, taken, writableCopy } from "./otherwise.ts";

type Request = Omit<CommandOf<"attribution">, "id" | "type">;

/** Nodes and weights of Gauss and Legendre on [0, 1], exact for polynomials up to the fifth power. */
const NODES = [0.5 - Math.sqrt(0.15), 0.5, 0.5 + Math.sqrt(0.15)] as const;
const WEIGHTS = [5 / 18, 8 / 18, 5 / 18] as const;
/**
 * How far the token itself is moved where similarities are measured (nats), at most: little enough to be straight,
 * enough to be no rounding.
 */
const PROBE_NATS = 0.01;
/** Weights that move no more than this share of what one moves at most stand still. */
const STILL = 1e-3;
/** Tokens and answers that are named. */
const NAMED = 8;

const dot = (a: TensorValues | Float64Array, b: TensorValues | Float64Array) => {
  let sum = 0;
  for (let n = 0; n < a.length; n++) sum += a[n]! * b[n]!;
  return sum;
};

/** The token in question: its conversation alone, packed, and its place among the scored tokens of that and of the step. */
interface Target {
  readonly batch: PackedBatch;
  readonly own: number;
  readonly k: number;
  readonly q: number;
}

function targetOf(step: SampledStep, { promptIndex, trajectoryIndex, tokenIndex }: Request, task: TaskInstance): Target {
  const group = step.groups[promptIndex];
  if (!group) throw new Error(`promptIndex must be < ${step.groups.length}, got ${promptIndex}`);
  const trajectory = group.trajectories[trajectoryIndex];
  if (!trajectory) throw new Error(`trajectoryIndex must be < ${group.trajectories.length}, got ${trajectoryIndex}`);
  const { promptTokens, tokens, mask } = trajectory;
  if (mask[tokenIndex] !== 1 || saidByStart(trajectory, task)[tokenIndex])
    throw new Error("the policy did not say this token, so no update is asked for its probability");
  const q = step.groupOf_Q.indexOf(promptIndex) + trajectoryIndex;
  const own = mask.slice(0, tokenIndex).reduce((count, sampled) => count + sampled, 0);
  const batch = packGroups([{ promptTokens, completions: [tokens], masks: [mask] }], step.batch.temperature);
  return { batch, own, k: step.batch.sequenceStart_Q[q]! + own, q };
}

/** Sums over the optimizer steps of an update, in nats of the token's log-prob. */
interface Shares {
  readonly push_K: Float64Array;
  momentum: number;
  decay: number;
  /** What of the gradient is no token's push: an entropy bonus, an exact KL, a critic's head. */
  others: number;
  steps: number;
}

/** The gradient of the token's log-prob, averaged along the straight way between two sets of weights. */
async function gradientAlong(model: Model, from: ModelState, to: ModelState, { batch, own }: Target): Promise<Float64Array> {
  const a = from.policy.values;
  const b = to.policy.values;
  const mean_N = new Float64Array(a.length);
  const objective: Objective = ({ logprobs_K }) => {
    const only_K = new Float32Array(logprobs_K.length);
    only_K[own] = 1;
    return { logprobs_K: only_K, entropies_K: null, values_K: null };
  };
  for (const [i, node] of NODES.entries()) {
    await model.load({ ...from, policy: { ...from.policy, values: a.map((value, n) => value + node * (b[n]! - value)) } });
    const { values } = await model.gradient({ batch, objective, exactKlCoef: 0, microBatchTokens: batch.tokens_N.length });
    for (let n = 0; n < mean_N.length; n++) mean_N[n]! += WEIGHTS[i]! * values[n]!;
  }
  return mean_N;
}

/** d log π of every scored token of a batch along a direction, by central difference at these weights. */
async function slopesAlong(
  model: Model,
  at: ModelState,
  direction_N: Float64Array,
  size: number,
  batch: PackedBatch,
): Promise<Float64Array> {
  const scoreAt = async (by: number) => {
    await model.load({ ...at, policy: { ...at.policy, values: at.policy.values.map((value, n) => value + by * direction_N[n]!) } });
    return (await model.score(batch, "policy")).logprobs_K;
  };
  const after_K = await scoreAt(size);
  const before_K = await scoreAt(-size);
  return Float64Array.from(after_K, (logprob, k) => (logprob - before_K[k]!) / (2 * size));
}

/**
 * Leaves out the weights that hardly moved. Where pushes cancel to rounding Adam divides by what is left, and their shares would
 * be huge numbers that add up to nothing.
 */
function leaveStill(gradient_N: Float64Array, moved_N: Float64Array): void {
  const least = STILL * moved_N.reduce((most, moved) => Math.max(most, Math.abs(moved)), 0);
  for (let n = 0; n < moved_N.length; n++) if (Math.abs(moved_N[n]!) < least) gradient_N[n] = 0;
}

/** What one optimizer step made of its gradient: the direction that a push is compared with, and how long a step along it. */
function scaling(gradient_N: Float64Array, after: ModelState, { kind, learningRate, beta1, beta2, eps }: UpdateRequest["optimizer"]) {
  if (kind === "sgd") return { direction_N: gradient_N, rate: learningRate, kept: 0 };
  const first = 1 - beta1 ** after.optimizerSteps;
  const second = 1 - beta2 ** after.optimizerSteps;
  const direction_N = gradient_N.map((value, n) => value / (Math.sqrt(after.second.values[n]! / second) + eps));
  return { direction_N, rate: (learningRate * (1 - beta1)) / first, kept: (learningRate * beta1) / first };
}

/**
 * Takes one optimizer step and adds what each of its parts did to the token.
 * @param places_K of the step's tokens that the batch scores.
 */
async function attributed(model: Model, request: UpdateRequest, target: Target, places_K: Int32Array, shares: Shares, onPart: () => void) {
  const before = await model.save();
  const weights_K = new Float32Array(request.batch.scoreTarget_K.length);
  const objective: Objective = (scores, range) => {
    const gradients = request.objective(scores, range);
    weights_K.set(gradients.logprobs_K, range.firstToken);
    return gradients;
  };
  const result = await model.update({ ...request, objective });
  const after = await model.save();
  onPart();
  const { optimizer } = request;
  const moved_N = Float64Array.from(after.policy.values, (value, n) => value - before.policy.values[n]!);
  const gradient_N = await gradientAlong(model, before, after, target);
  if (optimizer.kind === "adamw") leaveStill(gradient_N, moved_N);
  onPart();
  const { direction_N, rate, kept } = scaling(gradient_N, after, optimizer);
  const own = dot(gradient_N, direction_N);
  const length = Math.sqrt(dot(direction_N, direction_N));
  const size = length === 0 ? 0 : Math.min(PROBE_NATS / own, Math.sqrt(dot(moved_N, moved_N)) / length);
  const slopes_K = size === 0 ? new Float64Array(weights_K.length) : await slopesAlong(model, before, direction_N, size, request.batch);
  const { maxGradNorm } = optimizer;
  const clip = maxGradNorm > 0 && result.gradNorm > maxGradNorm ? maxGradNorm / (result.gradNorm + 1e-6) : 1;
  let pushed = 0;
  for (const [i, k] of places_K.entries()) {
    const share = -rate * clip * weights_K[i]! * slopes_K[i]!;
    shares.push_K[k]! += share;
    pushed += share;
  }
  const momentum = kept === 0 ? 0 : -kept * dot(before.first.values, direction_N);
  const decay = -optimizer.learningRate * optimizer.weightDecay * dot(before.policy.values, gradient_N);
  shares.momentum += momentum;
  shares.decay += decay;
  shares.others += dot(gradient_N, moved_N) - pushed - momentum - decay;
  shares.steps += 1;
  await model.load(after);
  onPart();
  return result;
}

/** Places in the step of the tokens that the next minibatch scores: of the sequences that were told another one since. */
function placesOf({ batch, minibatches_Q }: SampledStep, seen_Q: Int32Array): Int32Array {
  const grown = minibatches_Q.flatMap(({ length }, q) => (length > seen_Q[q]! ? [q] : []));
  for (const [q, { length }] of minibatches_Q.entries()) seen_Q[q] = length;
  if (grown.length === 0) return Int32Array.from(batch.scoreTarget_K, (_, k) => k);
  return Int32Array.from(
    grown.flatMap((q) =>
      Array.from({ length: batch.sequenceStart_Q[q + 1]! - batch.sequenceStart_Q[q]! }, (_, i) => batch.sequenceStart_Q[q]! + i),
    ),
  );
}

/** Those that did most, largest first. */
function most<S extends { readonly nats: number }>(shares: readonly S[]): readonly S[] {
  return shares
    .filter(({ nats }) => nats !== 0)
    .toSorted((a, b) => Math.abs(b.nats) - Math.abs(a.nats))
    .slice(0, NAMED);
}

/** The shares by answer and by token. */
function namedShares(step: SampledStep, push_K: Float64Array, target: Target, piece: (token: number) => string) {
  const { batch, trajectories_Q, groupOf_Q, advantages_K } = step;
  const said = batch.scoreTarget_K[target.k]!;
  const tokens: PushShare[] = [];
  const same = { count: 0, nats: 0 };
  const answers = trajectories_Q.map(({ tokens: ids, mask }, q) => {
    const place = { promptIndex: groupOf_Q[q]!, trajectoryIndex: q - groupOf_Q.indexOf(groupOf_Q[q]!) };
    let k = batch.sequenceStart_Q[q]!;
    let nats = 0;
    for (const [tokenIndex, token] of ids.entries()) {
      if (mask[tokenIndex] !== 1) continue;
      const share = push_K[k]!;
      if (k !== target.k) {
        nats += share;
        if (token === said && share !== 0) Object.assign(same, { count: same.count + 1, nats: same.nats + share });
        tokens.push({ ...place, tokenIndex, piece: piece(token), advantage: advantages_K[k]!, nats: share });
      }
      k += 1;
    }
    return { ...place, nats };
  });
  const group = groupOf_Q[target.q]!;
  const sum = (of: (q: number) => boolean) => answers.reduce((total, { nats }, q) => total + (of(q) ? nats : 0), 0);
  return {
    own: push_K[target.k]!,
    sameAnswer: sum((q) => q === target.q),
    sameGroup: sum((q) => q !== target.q && groupOf_Q[q] === group),
    otherGroups: sum((q) => groupOf_Q[q] !== group),
    sameToken: same,
    tokens: most(tokens),
    answers: most(answers.filter((_, q) => q !== target.q)),
  };
}

/** @param tell hears how far it is. @throws where the step is gone or has no advantages. The model must be at rest. */
export async function attributionOf(run: ActiveRun, request: Request, tell: (event: EventBody) => void): Promise<Attribution> {
  const { renderer } = run;
  const model = modelHere(run.model);
  const { promptIndex, trajectoryIndex, tokenIndex } = request;
  const kept = run.history.get(request.step);
  if (!kept) throw new Error(`step ${request.step} is no longer kept for inspection`);
  if (kept.config.kind === "supervised")
    throw new Error("a supervised step has no answers to compare: every token of its examples is pushed up");
  if (kept.phase === "sample" || kept.phase === "score")
    throw new Error(`step ${request.step} has no advantages yet: take it one phase further`);
  const step = { ...writableCopy(kept), oldLogprobs_K: kept.oldLogprobs_K.slice() };
  const target = targetOf(step, request, run.task);
  const { innerEpochs, minibatches } = step.config;
  const total = 3 * innerEpochs * Math.min(minibatches, step.trajectories_Q.length) + 1;
  let done = 0;
  const onPart = () => tell({ type: "asking", done: ++done, total });
  const shares: Shares = { push_K: new Float64Array(step.batch.scoreTarget_K.length), momentum: 0, decay: 0, others: 0, steps: 0 };
  const logprob = async () => (await model.score(target.batch, "policy")).logprobs_K[target.own]!;
  const now = await model.save();
  const { from, state: began } = startOf(run, request.step, now);
  const state = tensorState(began);
  tell({ type: "asking", done, total });
  try {
    await model.load(state);
    // What was sampled is taken as said by the weights that the copy begins with: of others' ratios the clip would make another update.
    if (from === "now") step.oldLogprobs_K.set((await model.score(step.batch, "policy")).logprobs_K);
    const old = await logprob();
    const seen_Q = new Int32Array(step.minibatches_Q.length);
    await taken(run, step, {
      score: (batch, slot) => model.score(batch, slot),
      gradient: (asked) => model.gradient(asked),
      update: (asked) => attributed(model, asked, target, placesOf(step, seen_Q), shares, onPart),
    });
    const change = (await logprob()) - old;
    const { push_K, momentum, decay, others, steps } = shares;
    const named = namedShares(step, push_K, target, (token) => renderer.piece(token));
    const told = push_K.reduce((sum, nats) => sum + nats, 0) + momentum + decay + others;
    onPart();
    const place = { step: step.step, promptIndex, trajectoryIndex, tokenIndex };
    return { ...place, from, optimizerSteps: steps, old, change, ...named, momentum, decay, others, rest: change - told };
  } finally {
    await model.load(now);
  }
}
