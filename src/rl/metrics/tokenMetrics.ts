// Metrics over the trained tokens of a step: advantages, the gap between sampler and trainer, the critic.
// Each function writes into the record it is given, so that a step builds one and copies none.

/** Mean, sample standard deviation, smallest and largest of the entries with mask 1; null when there are none. */
function spreadOf(values_K: ArrayLike<number>, mask_K: ArrayLike<number>) {
  let count = 0;
  let mean = 0;
  let squares = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let k = 0; k < values_K.length; k++) {
    if (!mask_K[k]) continue;
    const value = values_K[k]!;
    count += 1;
    // Welford's update, so that a large mean does not eat the digits of a small spread.
    const step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return count === 0 ? null : { count, mean, std: count > 1 ? Math.sqrt(squares / (count - 1)) : 0, min, max };
}

/** advantages/{mean,std,min,max} over trained tokens. */
export function advantageMetrics(
  advantages_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  into: Record<string, number> = {},
): Record<string, number> {
  const all = spreadOf(advantages_K, mask_K);
  if (!all) return into;
  into["advantages/mean"] = all.mean;
  into["advantages/std"] = all.std;
  into["advantages/min"] = all.min;
  into["advantages/max"] = all.max;
  return into;
}

/**
 * How far the trainer's log-probs are from the sampler's before anything was updated, under TRL's names:
 * the absolute difference (mean, max) and the ratio exp(train - sampled) (min, mean, max).
 */
export function samplingMetrics(
  trainLogprobs_K: ArrayLike<number>,
  sampledLogprobs_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  into: Record<string, number> = {},
): Record<string, number> {
  const difference_K = new Float64Array(mask_K.length);
  const ratio_K = new Float64Array(mask_K.length);
  for (let k = 0; k < mask_K.length; k++) {
    const difference = trainLogprobs_K[k]! - sampledLogprobs_K[k]!;
    difference_K[k] = Math.abs(difference);
    ratio_K[k] = Math.exp(difference);
  }
  const difference = spreadOf(difference_K, mask_K);
  const ratio = spreadOf(ratio_K, mask_K);
  if (!difference || !ratio) return into;
  into["sampling/sampling_logp_difference/mean"] = difference.mean;
  into["sampling/sampling_logp_difference/max"] = difference.max;
  into["sampling/importance_sampling_ratio/min"] = ratio.min;
  into["sampling/importance_sampling_ratio/mean"] = ratio.mean;
  into["sampling/importance_sampling_ratio/max"] = ratio.max;
  return into;
}

/**
 * value/mean, value/return_mean and value/explained_variance = 1 - Var(return - value) / Var(return) over
 * trained tokens: 1 foresees everything, 0 nothing more than the mean, below 0 is worse than the mean.
 * The explained variance is left out where all returns are equal.
 */
export function valueMetrics(
  values_K: ArrayLike<number>,
  returns_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  into: Record<string, number> = {},
): Record<string, number> {
  const errors_K = Float64Array.from(mask_K, (_, k) => returns_K[k]! - values_K[k]!);
  const values = spreadOf(values_K, mask_K);
  const returns = spreadOf(returns_K, mask_K);
  const errors = spreadOf(errors_K, mask_K);
  if (!values || !returns || !errors) return into;
  into["value/mean"] = values.mean;
  into["value/return_mean"] = returns.mean;
  if (returns.std > 0) into["value/explained_variance"] = 1 - (errors.std / returns.std) ** 2;
  return into;
}
