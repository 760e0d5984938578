// From rewards to advantages: who did better than expected, and by how much. One file per idea lies in
// advantage/; this one composes them as the configuration says.
//
// Reward-only baselines give each completion one number A = (r - baseline) / scale, discounted back
// from the last trained token when γ < 1. Without a baseline the token's own return-to-go is used, so
// a KL in the reward is felt only by the tokens up to it (REINFORCE++). With a critic it is GAE. What is
// compared with what, where conversations have several turns or agents, is decided in advantage/credit.ts:
// below, a span is a completion or a turn, and everything is done for each agent.
import type { AdvantageArithmetic } from "../protocol/records.ts";
import { comparedSpans, type Spans } from "./advantage/credit.ts";
import { normalizedSum, standardize } from "./advantage/normalizeThenSum.ts";
import { discountedEnds, discountedReturns, generalizedAdvantages } from "./advantage/returns.ts";
import { NOT_WHITENED, scaleOf, whitenTokens } from "./advantage/scale.ts";
import { membersOf, summarize } from "./advantage/statistics.ts";
import { addAtEnds, klRewards, rewardStream, sumPerSequence } from "./advantage/tokenRewards.ts";
import type { AdvantageConfig, AdvantageInput, AdvantageResult, AdvantageTerms } from "./advantage/types.ts";
import type { Baseline } from "./baselines/baseline.ts";
import { baselineOf } from "./baselines/index.ts";

/**
 * Advantages of one batch.
 * @throws "internal: ..." when the configuration needs values, reference log-probs or parts that were not given.
 */
export function computeAdvantages(input: AdvantageInput, config: AdvantageConfig): AdvantageResult {
  const { mask_K, sequenceStart_Q } = input;
  const rewards_Q = new Float64Array(input.rewards_Q.length);
  for (let q = 0; q < rewards_Q.length; q++) rewards_Q[q] = input.rewards_Q[q] ?? Number.NaN;
  const spans = comparedSpans(input, rewards_Q, config);
  const parts = spans.map((each) => spanAdvantages(each, config));
  const [first] = parts;
  if (!first) throw new Error("internal: a batch has at least one set of rewards");
  // Agents have no token in common: together their arrays are sums.
  const together = (read: (part: SpanAdvantages) => Float64Array) =>
    parts.length === 1 ? read(first) : Float64Array.from(mask_K, (_, k) => parts.reduce((sum, part) => sum + read(part)[k]!, 0));
  const advantages_K = together(({ advantages_K }) => advantages_K);
  const scored_K =
    parts.length === 1 ? first.scored_K : Uint8Array.from(mask_K, (_, k) => (parts.some((part) => part.scored_K[k]) ? 1 : 0));
  const whitened = config.whitenAdvantages ? whitenTokens(advantages_K, scored_K) : NOT_WHITENED;
  const isByCompletion = spans[0]!.rewards_A === rewards_Q;
  const keepsCompletion = isByCompletion && config.discount === 1 && !config.whitenAdvantages;
  return {
    advantages_Q: meanPerSequence(advantages_K, scored_K, sequenceStart_Q, keepsCompletion ? first.advantages_A : null),
    advantages_K,
    terms: isByCompletion && parts.length === 1 ? { shift: whitened.shift, spread: whitened.spread, ...first.terms } : null,
    compared: parts.map(({ terms, scored_K }, i) => ({ scored_K, start_A: spans[i]!.start_A, ...whitened, ...terms })),
    returns_K: first.returns_K && together(({ returns_K }) => returns_K!),
    zeroSpread_P: zeroSpreads(spans, parts),
  };
}

/** How the advantage of one token came about, of the completion or the turn it is in; null where it has none. */
export function termsAt({ compared }: Pick<AdvantageResult, "compared">, k: number): AdvantageArithmetic | null {
  const found = compared.find(({ scored_K }) => scored_K[k]);
  if (!found) return null;
  const { start_A, from_Q, baseline_Q, scale_Q, fade_Q, shift, spread } = found;
  const a = start_A.findLastIndex((start) => start <= k);
  return { from: from_Q[a]!, baseline: baseline_Q[a]!, scale: scale_Q[a]!, fade: fade_Q[a]!, shift, spread };
}

/** Advantages of spans before whitening, and the terms they came from. */
interface Compared {
  readonly advantages_K: Float64Array;
  readonly returns_K: Float64Array | null;
  /** One for each span, where that is what its tokens have. */
  readonly advantages_A: Float64Array | null;
  readonly terms: Omit<AdvantageTerms, "shift" | "spread">;
}

interface SpanAdvantages extends Compared {
  /** Trained tokens of spans that could be scored. */
  readonly scored_K: Uint8Array;
  /** Of each group of spans. */
  readonly isEqual_P: readonly boolean[];
}

/** A prompt tells nothing apart where none of its groups of spans does. */
function zeroSpreads(spans: readonly Spans[], parts: readonly SpanAdvantages[]): boolean[] {
  const zeroSpread_P: boolean[] = [];
  for (const [i, { groupsPerPrompt }] of spans.entries())
    for (const [group, isEqual] of parts[i]!.isEqual_P.entries()) {
      const prompt = Math.floor(group / groupsPerPrompt);
      zeroSpread_P[prompt] = (zeroSpread_P[prompt] ?? true) && isEqual;
    }
  return zeroSpread_P;
}

/** Advantages of spans that are compared with each other. */
function spanAdvantages(spans: Spans, config: AdvantageConfig): SpanAdvantages {
  const { rewards_A, mask_K, start_A } = spans;
  const members_P = membersOf(spans.groupOf_A);
  const scored_K = scoredMask(rewards_A, mask_K, start_A);
  const klRewards_K = klRewards(spans, config);

  const given = { spans, config, members_P, scored_K, klRewards_K };
  const baseline = baselineOf(config);
  const compared = baseline.from === "critic" ? byCritic(given) : byReward(given, baseline);
  const { advantages_K } = compared;
  for (let k = 0; k < advantages_K.length; k++) if (!scored_K[k]) advantages_K[k] = 0;
  const isEqual_P = members_P.map(
    (members) =>
      summarize(
        members.map((a) => rewards_A[a]!),
        "sample",
      ).equal,
  );
  return { scored_K, isEqual_P, ...compared };
}

interface Given {
  readonly spans: Spans;
  readonly config: AdvantageConfig;
  readonly members_P: readonly (readonly number[])[];
  readonly scored_K: Uint8Array;
  readonly klRewards_K: Float64Array | null;
}

function byCritic({ spans, config, scored_K, klRewards_K }: Given): Compared {
  const { rewards_A, values_K, turnRewards_K, bootstrap_Q, mask_K, start_A } = spans;
  if (!values_K) throw new Error("internal: the critic baseline needs values");
  const stream_K = turnRewards_K
    ? turnRewards_K.map((reward, k) => reward + (klRewards_K?.[k] ?? 0))
    : rewardStream(rewards_A, klRewards_K, mask_K, start_A);
  // With a critic spans are completions, so what follows the end of one stands at its last trained token.
  if (bootstrap_Q) addAtEnds(stream_K, (q) => config.discount * bootstrap_Q[q]!, mask_K, start_A);
  const gae = generalizedAdvantages(stream_K, values_K, mask_K, start_A, config.discount, config.gaeLambda);
  // An unscorable completion teaches the critic nothing: its target is what was predicted.
  for (let k = 0; k < scored_K.length; k++) if (mask_K[k] && !scored_K[k]) gae.returns_K[k] = values_K[k]!;
  const ones_Q = rewards_A.map(() => 1);
  const mean = (values: ArrayLike<number>) => meanPerSequence(values, scored_K, start_A, null, Number.NaN);
  return {
    ...gae,
    advantages_A: null,
    terms: { from_Q: mean(gae.returns_K), baseline_Q: mean(values_K), scale_Q: ones_Q, fade_Q: ones_Q },
  };
}

function byReward(given: Given, baseline: Exclude<Baseline, { readonly from: "critic" }>): Compared {
  const { spans, config, members_P, scored_K, klRewards_K } = given;
  const { rewards_A, mask_K, start_A } = spans;
  const mean = (values: ArrayLike<number>) => meanPerSequence(values, scored_K, start_A, null, Number.NaN);
  if (baseline.from === "nothing" && config.rewardAggregation === "sum-then-normalize") {
    const scale_Q = scaleOf(withKl(rewards_A, klRewards_K, start_A), members_P, config);
    const stream_K = rewardStream(rewards_A, klRewards_K, mask_K, start_A);
    const advantages_K = discountedReturns(stream_K, mask_K, start_A, config.discount);
    const from_Q = mean(advantages_K);
    forEachToken(start_A, (k, a) => {
      advantages_K[k]! /= scale_Q[a]!;
    });
    const terms = { from_Q, baseline_Q: rewards_A.map(() => 0), scale_Q, fade_Q: rewards_A.map(() => 1) };
    return { advantages_K, returns_K: null, advantages_A: null, terms };
  }
  const { advantages_A, from_Q, scale_Q } = completionAdvantages(given, baseline);
  const spreadBack = (terminal_A: ArrayLike<number>) => discountedEnds(terminal_A, mask_K, start_A, config.discount);
  const fade_Q = mean(spreadBack(rewards_A.map(() => 1)));
  const baseline_Q = from_Q.map((from, a) => from - advantages_A[a]! * scale_Q[a]!);
  return { advantages_K: spreadBack(advantages_A), returns_K: null, advantages_A, terms: { from_Q, baseline_Q, scale_Q, fade_Q } };
}

/** One advantage per span, what it came from and what it was divided by; NaN where it is unscorable. */
function completionAdvantages({ spans, config, members_P, klRewards_K }: Given, baseline: Exclude<Baseline, { readonly from: "critic" }>) {
  const { rewards_A, parts_Q, tokenCount_A, start_A } = spans;
  if (config.rewardAggregation === "normalize-then-sum") {
    if (!parts_Q) throw new Error("internal: normalize-then-sum needs the reward parts");
    const sums_A = normalizedSum(parts_Q, members_P, config.advantageStd, config.advantageEps);
    const from_Q = withKl(sums_A, klRewards_K, start_A);
    const scale_Q = scaleOf(from_Q, members_P, { ...config, advantageScale: "batch-std" });
    return { advantages_A: standardize(from_Q, config.advantageStd, config.advantageEps), from_Q, scale_Q };
  }
  const from_Q = withKl(rewards_A, klRewards_K, start_A);
  const centred_A = baseline.from === "nothing" ? from_Q : centred(baseline, from_Q, members_P, tokenCount_A);
  const scale_Q = scaleOf(from_Q, members_P, config);
  return { advantages_A: centred_A.map((value, a) => value / scale_Q[a]!), from_Q, scale_Q };
}

/** Rewards minus what each is compared with, set by set: a group, or the whole batch. */
function centred(
  { from, centre }: Extract<Baseline, { readonly from: "group" | "batch" }>,
  rewards_A: Float64Array,
  members_P: readonly (readonly number[])[],
  lengths_A: ArrayLike<number>,
): Float64Array {
  const centred_A = new Float64Array(rewards_A.length);
  for (const members of from === "batch" ? [[...rewards_A.keys()]] : members_P) {
    const differences = centre(
      members.map((a) => rewards_A[a]!),
      members.map((a) => lengths_A[a]!),
    );
    for (const [i, a] of members.entries()) centred_A[a] = differences[i]!;
  }
  return centred_A;
}

function withKl(rewards_Q: Float64Array, klRewards_K: Float64Array | null, sequenceStart_Q: Int32Array): Float64Array {
  if (!klRewards_K) return rewards_Q;
  const kl_Q = sumPerSequence(klRewards_K, sequenceStart_Q);
  return rewards_Q.map((reward, q) => reward + kl_Q[q]!);
}

/** Trained tokens of completions that could be scored. */
function scoredMask(rewards_Q: Float64Array, mask_K: ArrayLike<number>, sequenceStart_Q: Int32Array): Uint8Array {
  const scored_K = new Uint8Array(mask_K.length);
  forEachToken(sequenceStart_Q, (k, q) => {
    scored_K[k] = mask_K[k] && !Number.isNaN(rewards_Q[q]!) ? 1 : 0;
  });
  return scored_K;
}

/** Mean over trained tokens; a completion that trains none keeps its own advantage from `fallback_Q`, or `nothing`. */
function meanPerSequence(
  advantages_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
  fallback_Q: Float64Array | null,
  nothing = 0,
): Float64Array {
  const means_Q = new Float64Array(sequenceStart_Q.length - 1);
  for (let q = 0; q < means_Q.length; q++) {
    if (fallback_Q) {
      means_Q[q] = Number.isNaN(fallback_Q[q]!) ? 0 : fallback_Q[q]!;
      continue;
    }
    let count = 0;
    let sum = 0;
    for (let k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; k++) {
      if (!mask_K[k]) continue;
      count += 1;
      sum += advantages_K[k]!;
    }
    means_Q[q] = count > 0 ? sum / count : nothing;
  }
  return means_Q;
}

function forEachToken(sequenceStart_Q: Int32Array, visit: (token: number, sequence: number) => void): void {
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    for (let k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; k++) visit(k, q);
  }
}
