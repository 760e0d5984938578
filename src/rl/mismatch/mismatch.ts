// How far the trainer's log-probs of a step's tokens are from the sampler's, and what corrections would have made of each token. Ratios and
// estimators of the KL are the trainer's own functions. The KL is that of the sampler to the trainer, whose tokens
// these are: k1 = -log r and k3 = r - 1 - log r, r = trainer / sampler (Schulman 2020, "Approximating KL Divergence",
// joschu.net/blog/kl-approx.html).
import type { GroupRecord } from "../../protocol/records.ts";
import { exp } from "../exactMath.ts";
import { k1 } from "../kl/k1.ts";
import { k3 } from "../kl/k3.ts";
import { importanceRatios } from "../objective/ratio.ts";
import type { MismatchCorrection } from "./correction.ts";

/** The tokens of a step's completions, sequence after sequence, inserted ones included: the place in a completion is k - its start. */
export interface TokensOfBoth {
  readonly sequenceStart_Q: Int32Array;
  /** 1 where a token is trained and both told its log-prob. */
  readonly mask_K: Uint8Array;
  readonly logprobs_K: Float64Array;
  readonly oldLogprobs_K: Float64Array;
  /** trainer / sampler; 1 where the mask is 0. */
  readonly ratio_K: Float64Array;
  /** log of the ratio, in nats; 0 where the mask is 0. */
  readonly logRatio_K: Float64Array;
  /** Probabilities, 0 to 1. */
  readonly sampler_K: Float64Array;
  readonly trainer_K: Float64Array;
  /** NaN where nobody recorded one. */
  readonly advantages_K: Float64Array;
  /** Tokens with mask 1, and trained tokens that lack a log-prob. */
  readonly tokens: number;
  readonly lacking: number;
}

export function tokensOfBoth(groups: readonly GroupRecord[]): TokensOfBoth {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const sequenceStart_Q = new Int32Array(trajectories.length + 1);
  for (const [q, { tokens }] of trajectories.entries()) sequenceStart_Q[q + 1] = sequenceStart_Q[q]! + tokens.length;
  const K = sequenceStart_Q.at(-1)!;
  const [logprobs_K, oldLogprobs_K, sampler_K, trainer_K] = [1, 2, 3, 4].map(() => new Float64Array(K)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ];
  const advantages_K = new Float64Array(K).fill(Number.NaN);
  const mask_K = new Uint8Array(K);
  let tokens = 0;
  let lacking = 0;
  for (const [q, { channels, sampled, advantage }] of trajectories.entries()) {
    for (let t = 0, k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; t++, k++) {
      if (sampled[t] !== 1 || !channels.mask[t]) continue;
      const old = channels.oldLogprobs?.[t] ?? Number.NaN;
      const trained = channels.trainLogprobs?.[t] ?? Number.NaN;
      if (!Number.isFinite(old) || !Number.isFinite(trained)) {
        lacking += 1;
        continue;
      }
      tokens += 1;
      mask_K[k] = 1;
      oldLogprobs_K[k] = old;
      logprobs_K[k] = trained;
      sampler_K[k] = exp(old);
      trainer_K[k] = exp(trained);
      advantages_K[k] = channels.advantages?.[t] ?? advantage ?? Number.NaN;
    }
  }
  const { ratio_K, logRatio_K } = importanceRatios({ logprobs_K, oldLogprobs_K, mask_K, sequenceStart_Q }, "token");
  return {
    sequenceStart_Q,
    mask_K,
    logprobs_K,
    oldLogprobs_K,
    ratio_K,
    logRatio_K,
    sampler_K,
    trainer_K,
    advantages_K,
    tokens,
    lacking,
  };
}

/** KL of the sampler to the trainer in nats from one token, by both estimators. @param logRatio log of trainer / sampler */
export function mismatchKl(logRatio: number): { readonly k1: number; readonly k3: number } {
  return { k1: k1.value(-logRatio), k3: k3.value(-logRatio) };
}

/** Means over tokens; NaN without any. */
export interface MeanMismatch {
  readonly k1: number;
  readonly k3: number;
  readonly tokens: number;
}

/** Mean KL of each place in the completions, the first token first. */
export function mismatchByPlace({ sequenceStart_Q, logRatio_K, mask_K }: TokensOfBoth): readonly MeanMismatch[] {
  const sums: { k1: number; k3: number; tokens: number }[] = [];
  for (let q = 1; q < sequenceStart_Q.length; q++) {
    for (let t = 0, k = sequenceStart_Q[q - 1]!; k < sequenceStart_Q[q]!; t++, k++) {
      sums[t] ??= { k1: 0, k3: 0, tokens: 0 };
      const sum = sums[t];
      if (!sum || !mask_K[k]) continue;
      const at = mismatchKl(logRatio_K[k]!);
      sum.k1 += at.k1;
      sum.k3 += at.k3;
      sum.tokens += 1;
    }
  }
  return sums.map(({ k1: first, k3: third, tokens }) => ({ k1: first / tokens, k3: third / tokens, tokens }));
}

/** Mean KL over all tokens, and the largest |log-ratio|. @param places the means of the same tokens by place */
export function mismatchOf({ logRatio_K }: TokensOfBoth, places: readonly MeanMismatch[]): MeanMismatch & { readonly largest: number } {
  const tokens = places.reduce((sum, place) => sum + place.tokens, 0);
  const mean = (key: "k1" | "k3") =>
    places.reduce((sum, place) => (place.tokens === 0 ? sum : sum + place[key] * place.tokens), 0) / tokens;
  return { k1: mean("k1"), k3: mean("k3"), tokens, largest: logRatio_K.reduce((most, value) => Math.max(most, Math.abs(value)), 0) };
}

/** What a correction would have made of a step. */
export interface Corrected {
  readonly side_K: Int8Array;
  /** Tokens that it drops or cuts, because the trainer gives them too much, and too little. */
  readonly above: number;
  readonly below: number;
  /** Of each sequence. */
  readonly touched_Q: Int32Array;
  /** Tokens about which it cannot decide. */
  readonly undecided: number;
}

export function corrected(both: TokensOfBoth, correction: MismatchCorrection, thresholds: Readonly<Record<string, number>>): Corrected {
  const { sequenceStart_Q, mask_K, ratio_K, sampler_K, trainer_K, advantages_K } = both;
  const side_K = new Int8Array(mask_K.length);
  const touched_Q = new Int32Array(sequenceStart_Q.length - 1);
  const token = { ratio: 1, sampler: 1, trainer: 1, advantage: 0 };
  let above = 0;
  let below = 0;
  let undecided = 0;
  for (let q = 0; q < touched_Q.length; q++) {
    for (let k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; k++) {
      if (!mask_K[k]) continue;
      token.ratio = ratio_K[k]!;
      token.sampler = sampler_K[k]!;
      token.trainer = trainer_K[k]!;
      token.advantage = advantages_K[k]!;
      if (correction.needsAdvantage && Number.isNaN(token.advantage)) undecided += 1;
      const side = correction.side(token, thresholds);
      if (side === 0) continue;
      side_K[k] = side;
      touched_Q[q]! += 1;
      if (side > 0) above += 1;
      else below += 1;
    }
  }
  return { side_K, above, below, touched_Q, undecided };
}
