// Metrics over the trained tokens of a step: advantages, the gap between sampler and trainer, the critic.
// Each function writes into the record it is given, so that a step builds one and copies none.
import { exp, expm1 } from "../exactMath.ts";

/** Running mean, spread and extremes of some numbers. */
interface Spread {
  count: number;
  mean: number;
  squares: number;
  min: number;
  max: number;
}

function emptySpread(): Spread {
  return { count: 0, mean: 0, squares: 0, min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY };
}

/** Takes one more number in: Welford's update, so that a large mean does not eat the digits of a small spread. */
function take(spread: Spread, value: number): void {
  spread.count += 1;
  const step = value - spread.mean;
  spread.mean += step / spread.count;
  spread.squares += step * (value - spread.mean);
  spread.min = Math.min(spread.min, value);
  spread.max = Math.max(spread.max, value);
}

/** Sample standard deviation; 0 with fewer than two numbers. */
function deviation({ count, squares }: Spread): number {
  return count > 1 ? Math.sqrt(squares / (count - 1)) : 0;
}

/** advantages/{mean,std,min,max} over trained tokens. */
export function advantageMetrics(advantages_K: ArrayLike<number>, mask_K: ArrayLike<number>, into: Record<string, number>): void {
  const all = emptySpread();
  for (let k = 0; k < mask_K.length; k++) if (mask_K[k]) take(all, advantages_K[k]!);
  if (all.count === 0) return;
  into["advantages/mean"] = all.mean;
  into["advantages/std"] = deviation(all);
  into["advantages/min"] = all.min;
  into["advantages/max"] = all.max;
}

/**
 * How far the trainer's log-probs are from the sampler's before anything was updated, under TRL's names:
 * the absolute difference (mean, max) and the ratio exp(train - sampled) (min, mean, max).
 */
export function samplingMetrics(
  trainLogprobs_K: ArrayLike<number>,
  sampledLogprobs_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  into: Record<string, number>,
): void {
  const difference = emptySpread();
  const ratio = emptySpread();
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const gap = trainLogprobs_K[k]! - sampledLogprobs_K[k]!;
    take(difference, Math.abs(gap));
    take(ratio, exp(gap));
  }
  if (difference.count === 0) return;
  into["sampling/sampling_logp_difference/mean"] = difference.mean;
  into["sampling/sampling_logp_difference/max"] = difference.max;
  into["sampling/importance_sampling_ratio/min"] = ratio.min;
  into["sampling/importance_sampling_ratio/mean"] = ratio.mean;
  into["sampling/importance_sampling_ratio/max"] = ratio.max;
}

/**
 * sampling/surprise_gap: how much less surprising the sampled tokens are than the policy says, the mean of H + log p of each (nats),
 * with the policy's own entropy H and log-prob. Its mean is 0 where tokens are drawn from the policy; filters such as top-p, which leave
 * unlikely tokens out and score the others as if they had not, raise it.
 */
export function surpriseMetrics(
  entropies_K: ArrayLike<number>,
  logprobs_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  into: Record<string, number>,
): void {
  const gap = emptySpread();
  for (let k = 0; k < mask_K.length; k++) if (mask_K[k]) take(gap, entropies_K[k]! + logprobs_K[k]!);
  if (gap.count > 0) into["sampling/surprise_gap"] = gap.mean;
}

/**
 * update/kl: how far the whole update of a step moved the policy, in nats per trained token; the k3 estimate of
 * KL(before, after), mean of r - 1 - log r with r = after / before (Schulman 2020, "Approximating KL divergence").
 */
export function updateMetrics(
  newLogprobs_K: ArrayLike<number>,
  oldLogprobs_K: ArrayLike<number>,
  mask_K: ArrayLike<number>,
  into: Record<string, number> = {},
): Record<string, number> {
  let sum = 0;
  let count = 0;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const logRatio = newLogprobs_K[k]! - oldLogprobs_K[k]!;
    sum += expm1(logRatio) - logRatio;
    count += 1;
  }
  if (count > 0) into["update/kl"] = sum / count;
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
  into: Record<string, number>,
): void {
  const values = emptySpread();
  const returns = emptySpread();
  const errors = emptySpread();
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    take(values, values_K[k]!);
    take(returns, returns_K[k]!);
    take(errors, returns_K[k]! - values_K[k]!);
  }
  if (values.count === 0) return;
  into["value/mean"] = values.mean;
  into["value/return_mean"] = returns.mean;
  if (deviation(returns) > 0) into["value/explained_variance"] = 1 - (deviation(errors) / deviation(returns)) ** 2;
}
