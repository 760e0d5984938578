// The reward as a stream over tokens: a KL penalty on each trained token, the verdict on the last one
// (Ouyang et al. 2022, "Training language models to follow instructions with human feedback", and
// verl's apply_kl_penalty). The KL is that of the sampling policy: it is a reward, not a loss.
import { klEstimatorOf } from "../kl/index.ts";
import type { AdvantageConfig, AdvantageInput } from "./types.ts";

/** -β·KL of each trained token (nats times weight); null where no KL goes into the reward. */
export function klRewards(
  input: Pick<AdvantageInput, "refLogprobs_K" | "oldLogprobs_K" | "mask_K">,
  config: AdvantageConfig,
): Float64Array | null {
  if (config.klPlacement !== "reward" || config.klCoef === 0) return null;
  const { refLogprobs_K, oldLogprobs_K, mask_K } = input;
  if (!refLogprobs_K) throw new Error("internal: a KL in the reward needs reference log-probs");
  const { value } = klEstimatorOf(config);
  const rewards_K = new Float64Array(mask_K.length);
  for (let k = 0; k < rewards_K.length; k++) {
    if (mask_K[k]) rewards_K[k] = -config.klCoef * value(oldLogprobs_K[k]! - refLogprobs_K[k]!);
  }
  return rewards_K;
}

/** Sum of a token stream over each sequence, [Q]. */
export function sumPerSequence(stream_K: ArrayLike<number>, sequenceStart_Q: Int32Array): Float64Array {
  const sums_Q = new Float64Array(sequenceStart_Q.length - 1);
  for (let q = 0; q < sums_Q.length; q++) {
    for (let k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; k++) sums_Q[q]! += stream_K[k]!;
  }
  return sums_Q;
}

/**
 * The whole stream: `terminal_Q` on each sequence's last trained token plus the KL rewards.
 * A sequence that trains no token carries no reward; NaN (unscorable) counts as 0.
 */
export function rewardStream(
  terminal_Q: ArrayLike<number>,
  klRewards_K: Float64Array | null,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
): Float64Array {
  const stream_K = klRewards_K ? klRewards_K.slice() : new Float64Array(mask_K.length);
  addAtEnds(stream_K, (q) => (Number.isNaN(terminal_Q[q]!) ? 0 : terminal_Q[q]!), mask_K, sequenceStart_Q);
  return stream_K;
}

/** Adds a value to the last trained token of each sequence that has one. */
export function addAtEnds(
  stream_K: Float64Array,
  valueAt: (sequence: number) => number,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
): void {
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    let k = sequenceStart_Q[q + 1]! - 1;
    while (k >= sequenceStart_Q[q]! && !mask_K[k]) k -= 1;
    if (k >= sequenceStart_Q[q]!) stream_K[k]! += valueAt(q);
  }
}
