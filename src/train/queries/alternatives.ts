// What the policy might have said in place of each token of a completion: its likeliest tokens before and
// after the step's update. The weights of now are at hand; those before an update are kept while somebody
// watches the run step by step. The plain forward pass computes it, for one completion at a time; beside a frozen base,
// which it cannot read, a scoring pass does, with the adapters in the reference's place.

import { modelHere, tensorState } from "../../model/model.ts";
import { plainForward, plainLogSoftmax } from "../../model/plainForward.ts";
import type { TensorSet } from "../../model/tensors.ts";
import type { Alternative, Alternatives } from "../../protocol/asked.ts";
import type { TrajectoryRecord } from "../../protocol/records.ts";
import { exp } from "../../rl/exactMath.ts";
import type { ActiveRun } from "../run/start.ts";
import type { SampledStep } from "../step/sampledStep.ts";
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

export interface AlternativesRequest {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
}

/** Places of a completion that are scored on the whole vocabulary in one pass. */
const PLACES_A_PASS = 8;

/** A prompt with a completion, scored on every token of the vocabulary at the places [begin, end). */
function everyToken(
  prompt: readonly number[],
  tokens: readonly number[],
  [begin, end]: readonly [number, number],
  V: number,
  temperature: number,
) {
  const packed = packGroups([{ promptTokens: prompt, completions: [tokens] }], temperature);
  const scores = (end - begin) * V;
  const scoreRow_K = Int32Array.from({ length: scores }, (_, k) => packed.scoreRow_K[begin + Math.floor(k / V)]!);
  const scoreTarget_K = Int32Array.from({ length: scores }, (_, k) => k % V);
  return { ...packed, scoreRow_K, scoreTarget_K, sequenceStart_Q: Int32Array.of(0, scores) };
}

/** The same as logprobsOf by a scoring pass with these adapters. */
async function scoredLogprobs({ model, trainer }: ActiveRun, adapters: TensorSet, prompt: readonly number[], tokens: readonly number[]) {
  const { vocabulary: V } = model.report;
  const logprobs_TV: Float64Array[] = [];
  for (let begin = 0; begin < tokens.length; begin += PLACES_A_PASS) {
    const end = Math.min(tokens.length, begin + PLACES_A_PASS);
    const batch = everyToken(prompt, tokens, [begin, end], V, trainer.config.temperature);
    const { logprobs_K } = await model.withReference(adapters, () => model.score(batch, "reference"));
    for (let t = 0; t < end - begin; t++) logprobs_TV.push(Float64Array.from(logprobs_K.subarray(t * V, (t + 1) * V)));
  }
  return logprobs_TV;
}

/** Log-probs (nats) of all tokens at each token of a completion, at the run's temperature. */
async function logprobsOf(run: ActiveRun, weights: TensorSet, prompt: readonly number[], tokens: readonly number[]) {
  const { transformer, trainer } = run;
  const { temperature, loraRank } = trainer.config;
  if (transformer && loraRank > 0) return scoredLogprobs(run, weights, prompt, tokens);
  if (!transformer) {
    const { values, layout } = weights;
    const V = layout[0]!.shape[1]!;
    return tokens.map((_, t) => plainLogSoftmax(Float64Array.from(values.subarray(t * V, (t + 1) * V)), temperature));
  }
  const { logits_TV } = plainForward(transformer, Float32Array.from(weights.values), [...prompt, ...tokens.slice(0, -1)]);
  return tokens.map((_, t) => plainLogSoftmax(logits_TV[prompt.length - 1 + t]!, temperature));
}

/** The likeliest tokens, likeliest first. */
function likeliest(logprobs_V: Float64Array): readonly number[] {
  return Array.from(logprobs_V.keys())
    .toSorted((a, b) => logprobs_V[b]! - logprobs_V[a]!)
    .slice(0, SHOWN);
}

/** Whether an update that stands on its way has taken an optimizer step. */
export function hasMoved({ opened }: Pick<SampledStep, "opened">): boolean {
  return opened !== null && (opened.epoch > 1 || opened.minibatch > 1 || opened.part === "optimizer");
}

/** The weights before and after the update of a step, where they are there. */
async function weightsAround(run: ActiveRun, step: number) {
  const { trainer, model, before, history } = run;
  const now = stepOfNow(run);
  const isNewest = step === now || step === trainer.step + 1;
  const kept = before?.step === step ? before.state.policy : null;
  // What the next step was sampled with is what this one's update made.
  const made = before?.step === step + 1 ? before.state.policy : null;
  if (!history.get(step) || (!isNewest && !kept && !made))
    throw new Error(`the weights of step ${step} are gone: those of step ${now} are there`);
  if (!isNewest) return { before: kept, after: made };
  const { policy } = tensorState(await model.save());
  return isUpdated(run, step) || hasMoved(history.get(step)!) ? { before: kept, after: policy } : { before: policy, after: null };
}

/** @throws where the step's weights are gone. The model must be at rest. */
export async function alternativesOf(run: ActiveRun, request: AlternativesRequest): Promise<Alternatives> {
  modelHere(run.model);
  const { step, promptIndex, trajectoryIndex } = request;
  const { before, after } = await weightsAround(run, step);
  const group = groupRecord(run.history.get(step)!, promptIndex, run.task, run.renderer);
  const trajectory = group.trajectories[trajectoryIndex];
  if (!trajectory) throw new Error(`trajectoryIndex must be < ${group.trajectories.length}, got ${trajectoryIndex}`);
  const { promptTokens } = trajectory.prompt ?? group;
  const of = async (weights: TensorSet | null) => weights && logprobsOf(run, weights, promptTokens, trajectory.tokens);
  return { step, promptIndex, trajectoryIndex, alternatives_T: rowsOf(trajectory, await of(before), await of(after), run) };
}

function rowsOf(
  { tokens, sampled }: TrajectoryRecord,
  before_TV: readonly Float64Array[] | null,
  after_TV: readonly Float64Array[] | null,
  { renderer }: ActiveRun,
): Alternatives["alternatives_T"] {
  return tokens.map((said, t) => {
    if (sampled[t] !== 1) return [];
    const before_V = before_TV?.[t] ?? null;
    const after_V = after_TV?.[t] ?? null;
    const shown = new Set([said, ...(before_V ? likeliest(before_V) : []), ...(after_V ? likeliest(after_V) : [])]);
    const probability = (logprobs_V: Float64Array | null, token: number) => logprobs_V && exp(logprobs_V[token]!);
    return Array.from(shown, (token): Alternative => {
      const piece = renderer.piece(token);
      return { token, piece, before: probability(before_V, token), after: probability(after_V, token) };
    }).toSorted((a, b) => Math.max(b.before ?? 0, b.after ?? 0) - Math.max(a.before ?? 0, a.after ?? 0));
  });
}
