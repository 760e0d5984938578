// What the policy might have said in place of each token of a completion: its likeliest tokens before and
// after the step's update. The weights of now are at hand; those before an update are kept while somebody
// watches the run step by step. The plain forward pass computes it, for one completion at a time; beside a frozen base,
// which it cannot read, a scoring pass does, with the adapters in the reference's place.

import { modelHere, tensorState } from "../../model/model.ts";
import { plainForward, plainLogSoftmax } from "../../model/plainForward.ts";
import type { TensorSet } from "../../model/tensors.ts";
import { type Alternatives, alternativesAround } from "../../protocol/asked.ts";
import type { Alternative, TrajectoryRecord } from "../../protocol/records.ts";
import { exp } from "../../rl/exactMath.ts";
import type { ActiveRun } from "../start/start.ts";
import { type SampledStep, tokensOfStart } from "../step/sampledStep.ts";
import { groupRecord } from "../step/stepRecords.ts";
import { packGroups } from "../step/update/batch.ts";
import { isUpdated, stepOfNow } from "./measure.ts";

/** Tokens shown of each distribution. */
const SHOWN = 5;

/** Keeps the weights that the step in flight was sampled with, where they can be seen. */
export async function keepWeights(run: ActiveRun): Promise<void> {
  if (!run.model.sight.weights) return;
  run.before = { step: run.trainer.step + 1, state: tensorState(await run.model.save()) };
}

/** Whether the weights that sampled a step are there: kept, or not moved since. */
export function hasWeightsOf({ before, trainer, history }: Pick<ActiveRun, "before" | "trainer" | "history">, step: number): boolean {
  if (before?.step === step) return true;
  const sampled = history.get(step);
  return step === trainer.step + 1 && sampled !== undefined && sampled.phase !== "update" && !hasMoved(sampled);
}

export interface AlternativesRequest {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  /** A place of the completion: those around it are answered for; all where it is left out. */
  readonly index?: number | undefined;
}

/** Places of a completion that are scored on the whole vocabulary in one pass. */
const PLACES_A_PASS = 8;

/** Places [begin, end) of a completion. */
type Places = readonly [number, number];

/** A prompt with a completion, scored on every token of the vocabulary at the places [begin, end). */
function everyToken(prompt: readonly number[], tokens: readonly number[], [begin, end]: Places, V: number, temperature: number) {
  const packed = packGroups([{ promptTokens: prompt, completions: [tokens] }], temperature);
  const scores = (end - begin) * V;
  const scoreRow_K = Int32Array.from({ length: scores }, (_, k) => packed.scoreRow_K[begin + Math.floor(k / V)]!);
  const scoreTarget_K = Int32Array.from({ length: scores }, (_, k) => k % V);
  return { ...packed, scoreRow_K, scoreTarget_K, sequenceStart_Q: Int32Array.of(0, scores) };
}

/** A completion, the places of it that are looked at, and what its logits are divided by. */
interface Looked {
  readonly prompt: readonly number[];
  readonly tokens: readonly number[];
  readonly places: Places;
  readonly temperature: number;
}

/** The same as logprobsOf by scoring passes with these adapters; of what stands behind the last place nothing is computed. */
async function scoredLogprobs({ model }: ActiveRun, adapters: TensorSet, { prompt, tokens, places, temperature }: Looked) {
  const [first, last] = places;
  const { vocabulary: V } = model.report;
  const logprobs_TV: Float64Array[] = [];
  for (let begin = first; begin < last; begin += PLACES_A_PASS) {
    const end = Math.min(last, begin + PLACES_A_PASS);
    const batch = everyToken(prompt, tokens.slice(0, end), [begin, end], V, temperature);
    const { logprobs_K } = await model.withReference(adapters, () => model.score(batch, "reference"));
    for (let t = 0; t < end - begin; t++) logprobs_TV.push(Float64Array.from(logprobs_K.subarray(t * V, (t + 1) * V)));
  }
  return logprobs_TV;
}

const placed = <T>([begin, end]: Places, of: (t: number) => T): readonly T[] =>
  Array.from({ length: end - begin }, (_, i) => of(begin + i));

/** Log-probs (nats) of all tokens at places of a completion. */
async function logprobsOf(run: ActiveRun, weights: TensorSet, looked: Looked) {
  const { transformer, trainer } = run;
  const { prompt, tokens, places, temperature } = looked;
  if (transformer && trainer.config.loraRank > 0) return scoredLogprobs(run, weights, looked);
  if (!transformer) {
    const { values, layout } = weights;
    const V = layout[0]!.shape[1]!;
    return placed(places, (t) => plainLogSoftmax(Float64Array.from(values.subarray(t * V, (t + 1) * V)), temperature));
  }
  const { logits_TV } = plainForward(transformer, Float32Array.from(weights.values), [...prompt, ...tokens.slice(0, places[1] - 1)]);
  return placed(places, (t) => plainLogSoftmax(logits_TV[prompt.length - 1 + t]!, temperature));
}

/** The likeliest tokens but one, likeliest first; of equally likely ones the lower id. */
export function likeliest(logprobs_V: Float32Array | Float64Array, most: number, but = -1): readonly number[] {
  const found: number[] = [];
  for (let token = 0; token < logprobs_V.length; token++) {
    const logprob = logprobs_V[token]!;
    const isFull = found.length === most;
    if (token === but || (isFull && logprob <= logprobs_V[found.at(-1)!]!)) continue;
    if (isFull) found.pop();
    found.splice(found.findLastIndex((other) => logprobs_V[other]! >= logprob) + 1, 0, token);
  }
  return found;
}

/** Whether an update that stands on its way has taken an optimizer step. */
function hasMoved({ opened }: Pick<SampledStep, "opened">): boolean {
  return opened !== null && (opened.epoch > 1 || opened.minibatch > 1 || opened.part === "optimizer");
}

/** The weights before and after the update of a step, where they are there, and those of the frozen start. */
async function weightsAround(run: ActiveRun, step: number) {
  const { trainer, model, before, history } = run;
  const now = stepOfNow(run);
  const isNewest = step === now || step === trainer.step + 1;
  const kept = before?.step === step ? before.state.policy : null;
  // What the next step was sampled with is what this one's update made.
  const made = before?.step === step + 1 ? before.state.policy : null;
  if (!history.get(step) || (!isNewest && !kept && !made))
    throw new Error(`the weights of step ${step} are gone; the engine was at step ${now} when it was asked`);
  const { policy, reference: start } = tensorState(await model.save());
  if (!isNewest) return { before: kept, after: made, start };
  return isUpdated(run, step) || hasMoved(history.get(step)!)
    ? { before: kept, after: policy, start }
    : { before: policy, after: null, start };
}

/** @throws where the step's weights are gone. The model must be at rest. */
export async function alternativesOf(run: ActiveRun, request: AlternativesRequest): Promise<Alternatives> {
  modelHere(run.model);
  const { step, promptIndex, trajectoryIndex } = request;
  const { before, after, start } = await weightsAround(run, step);
  const sampled = run.history.get(step)!;
  const group = groupRecord(sampled, promptIndex, run.task, run.renderer);
  const trajectory = group.trajectories[trajectoryIndex];
  if (!trajectory) throw new Error(`trajectoryIndex must be < ${group.trajectories.length}, got ${trajectoryIndex}`);
  const { promptTokens } = trajectory.prompt ?? group;
  const places = placesAsked(request, trajectory);
  const looked = { prompt: promptTokens, tokens: trajectory.tokens, places, temperature: sampled.batch.temperature };
  const of = async (weights: TensorSet | null) => weights && logprobsOf(run, weights, looked);
  // An agent that plays the frozen start has the same alternatives at any time.
  const fixed_T = tokensOfStart(sampled, sampled.groups[promptIndex]!.trajectories[trajectoryIndex]!, run.task);
  const start_TV = fixed_T.slice(...places).includes(true) ? await of(start) : null;
  const bySpeaker = (policy_TV: readonly Float64Array[] | null): readonly (Float64Array | null)[] =>
    placed(places, (t) => (fixed_T[t] ? start_TV : policy_TV)?.[t - places[0]] ?? null);
  const rows = rowsOf(trajectory, places, bySpeaker(await of(before)), bySpeaker(await of(after)), run);
  return { step, promptIndex, trajectoryIndex, places, alternatives_T: trajectory.tokens.map((_, t) => rows[t - places[0]] ?? []) };
}

/** The places that a request is answered for: a stretch of those around one, so that a long completion is not scored whole. */
function placesAsked({ index }: AlternativesRequest, { tokens }: TrajectoryRecord): Places {
  if (index === undefined) return [0, tokens.length];
  if (index >= tokens.length) throw new Error(`index must be < ${tokens.length}, got ${index}`);
  return alternativesAround(index, tokens.length);
}

function rowsOf(
  { tokens, sampled }: TrajectoryRecord,
  places: Places,
  before_TV: readonly (Float64Array | null)[],
  after_TV: readonly (Float64Array | null)[],
  { renderer }: ActiveRun,
): Alternatives["alternatives_T"] {
  return placed(places, (t) => {
    if (sampled[t] !== 1) return [];
    const said = tokens[t]!;
    const before_V = before_TV[t - places[0]]!;
    const after_V = after_TV[t - places[0]]!;
    const shown = new Set([said, ...[before_V, after_V].flatMap((logprobs_V) => (logprobs_V ? likeliest(logprobs_V, SHOWN) : []))]);
    const probability = (logprobs_V: Float64Array | null, token: number) => logprobs_V && exp(logprobs_V[token]!);
    return Array.from(shown, (token): Alternative => {
      const piece = renderer.piece(token);
      return { token, piece, before: probability(before_V, token), after: probability(after_V, token) };
    }).toSorted((a, b) => Math.max(b.before ?? 0, b.after ?? 0) - Math.max(a.before ?? 0, a.after ?? 0));
  });
}
