// Random batches and random switches for the property tests of the objective.
import * as fc from "fast-check";
import { type RunConfig, runConfigSchema } from "../../src/protocol/config.ts";
import { objectiveTotals } from "../../src/rl/objective/totals.ts";
import type { ObjectiveInput } from "../../src/rl/objective/types.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { Random } from "../../src/rl/random.ts";
import { surrogates } from "../../src/rl/surrogates/index.ts";

export type Batch = Omit<ObjectiveInput, "totals">;

/** Q sequences of 1 to `longest` tokens, about a fifth of them untrained, ratios on both sides of every bound. */
export function randomBatch(seed: number, sequences: number, critic = true, longest = 6): Batch {
  const random = new Random(seed);
  const lengths = Array.from({ length: sequences }, () => 1 + random.below(longest));
  const starts = [0];
  for (const length of lengths) starts.push(starts.at(-1)! + length);
  const K = starts.at(-1)!;
  const draw = (make: () => number) => Float64Array.from({ length: K }, make);
  const old_K = draw(() => -0.05 - 3 * random.uniform());
  const advantage_Q = lengths.map(() => random.normal());
  const owner_K = lengths.flatMap((length, q) => Array.from({ length }, () => q));
  const oldValues_K = draw(() => random.normal());
  return {
    logprobs_K: old_K.map((old) => old + 0.4 * random.normal()),
    oldLogprobs_K: old_K,
    refLogprobs_K: old_K.map((old) => old + 0.3 * random.normal()),
    entropies_K: draw(() => 2 * random.uniform()),
    advantages_K: Float64Array.from(owner_K, (q) => advantage_Q[q]!),
    mask_K: Uint8Array.from({ length: K }, () => (random.uniform() < 0.8 ? 1 : 0)),
    sequenceStart_Q: Int32Array.from(starts),
    values_K: critic ? oldValues_K.map((value) => value + 0.4 * random.normal()) : null,
    oldValues_K: critic ? oldValues_K : null,
    returns_K: critic ? draw(() => random.normal()) : null,
  };
}

export function withTotals(batch: Batch, config: RunConfig): ObjectiveInput {
  return { ...batch, totals: objectiveTotals(batch, config) };
}

/** True where a log-prob or value moved by about `margin` could cross a kink, where no derivative exists. */
export function isNearKink(input: ObjectiveInput, config: RunConfig, margin: number): boolean {
  const { ratio_K } = tokenObjective(input, config);
  const bounds = [1 - config.clipLow, 1 + config.clipHigh, config.clipDelta, config.dualClip, config.cispoMax];
  const isNear = (value: number) => bounds.some((bound) => Math.abs(value - bound) < margin * Math.max(1, value));
  const drift = Array.from({ length: input.sequenceStart_Q.length - 1 }, (_, q) => {
    let sum = 0;
    let count = 0;
    for (let k = input.sequenceStart_Q[q]!; k < input.sequenceStart_Q[q + 1]!; k++) {
      if (!input.mask_K[k]) continue;
      sum += input.oldLogprobs_K[k]! - input.logprobs_K[k]!;
      count += 1;
    }
    return sum / Math.max(1, count);
  });
  return (
    ratio_K.some(isNear) ||
    drift.some((value) => Math.abs(value - config.offPolicyThreshold) < margin) ||
    isValueNearKink(input, config, margin)
  );
}

/** A value at the edge of its clip range, or as far from its target clipped as not. */
function isValueNearKink({ values_K, oldValues_K, returns_K }: ObjectiveInput, { valueClip }: RunConfig, margin: number): boolean {
  if (!values_K || !oldValues_K || !returns_K || valueClip === 0) return false;
  return Array.from(values_K).some((value, k) => {
    const distance = value - oldValues_K[k]!;
    if (Math.abs(Math.abs(distance) - valueClip) < margin) return true;
    const clipped = oldValues_K[k]! + Math.sign(distance) * valueClip;
    return Math.abs(distance) > valueClip && Math.abs(Math.abs(value - returns_K[k]!) - Math.abs(clipped - returns_K[k]!)) < margin;
  });
}

/** Sequences [first, last) of a batch, with the whole batch's totals and starts as they are. */
export function sliceBatch(batch: ObjectiveInput, first: number, last: number): ObjectiveInput {
  const from = batch.sequenceStart_Q[first]!;
  const to = batch.sequenceStart_Q[last]!;
  const cut = (values: ArrayLike<number> | null) => values && Float64Array.from(values).slice(from, to);
  return {
    logprobs_K: cut(batch.logprobs_K)!,
    oldLogprobs_K: cut(batch.oldLogprobs_K)!,
    refLogprobs_K: cut(batch.refLogprobs_K),
    entropies_K: cut(batch.entropies_K)!,
    advantages_K: cut(batch.advantages_K)!,
    mask_K: cut(batch.mask_K)!,
    sequenceStart_Q: batch.sequenceStart_Q.subarray(first, last + 1),
    values_K: cut(batch.values_K),
    oldValues_K: cut(batch.oldValues_K),
    returns_K: cut(batch.returns_K),
    totals: batch.totals,
  };
}

/** Any combination of the objective's switches. */
export const anyObjective: fc.Arbitrary<RunConfig> = fc
  .record({
    surrogate: fc.constantFrom(...surrogates.map(({ id }) => id)),
    ratioLevel: fc.constantFrom("token" as const, "sequence" as const),
    aggregation: fc.constantFrom("sequence-mean" as const, "token-mean" as const, "constant-length" as const, "sequence-sum" as const),
    clipLow: fc.constantFrom(0.1, 0.2, 0.5),
    clipHigh: fc.constantFrom(0.1, 0.28),
    clipDelta: fc.constantFrom(0, 1.5),
    dualClip: fc.constantFrom(0, 1.3),
    cispoMax: fc.constantFrom(0.9, 5),
    klCoef: fc.constantFrom(0, 0.3),
    klEstimator: fc.constantFrom("k1" as const, "k2" as const, "k3" as const, "k3+" as const),
    klPlacement: fc.constantFrom("loss" as const, "reward" as const),
    klBiasCorrection: fc.boolean(),
    entropyCoef: fc.constantFrom(0, 0.1),
    topEntropyQuantile: fc.constantFrom(1, 0.5),
    offPolicyThreshold: fc.constantFrom(0, 0.05),
    valueClip: fc.constantFrom(0, 0.2),
  })
  .map((switches) => runConfigSchema.parse(switches));
