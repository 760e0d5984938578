// Divergence of the policy from a frozen reference. From one sampled token: the estimators of
// J. Schulman, "Approximating KL Divergence" (2020, joschu.net/blog/kl-approx.html), and k3+, which
// reports k3 but sends back k2's gradient (the one whose expectation is the gradient of the KL).
// From whole rows of logits: the exact sum. No clamping anywhere.
import type { RunConfig } from "../protocol/config.ts";

export type KlEstimator = RunConfig["klEstimator"];

/**
 * Estimate of KL(policy || reference) in nats from one token drawn from the policy, with d = logprob - refLogprob:
 * k1 = d, k2 = d²/2, k3 = exp(-d) + d - 1. "exact" needs whole rows (see exactKl); here it reads as k3.
 */
export function klValue(estimator: KlEstimator, logprob: number, refLogprob: number): number {
  const d = logprob - refLogprob;
  if (estimator === "k1") return d;
  if (estimator === "k2") return 0.5 * d * d;
  // expm1 keeps the digits where policy and reference nearly agree.
  return Math.expm1(-d) + d;
}

/** Derivative of klValue with respect to logprob: 1, d, 1 - exp(-d); k3+ takes k2's. */
export function klGradient(estimator: KlEstimator, logprob: number, refLogprob: number): number {
  const d = logprob - refLogprob;
  if (estimator === "k1") return 1;
  if (estimator === "k2" || estimator === "k3+") return d;
  return -Math.expm1(-d);
}

/** log of the sum of exp(logits[from .. from + V)), without overflow. */
function logSumExp(logits: ArrayLike<number>, from: number, V: number): number {
  let max = Number.NEGATIVE_INFINITY;
  for (let v = 0; v < V; v++) max = Math.max(max, logits[from + v]!);
  let sum = 0;
  for (let v = 0; v < V; v++) sum += Math.exp(logits[from + v]! - max);
  return max + Math.log(sum);
}

/**
 * Exact KL(p || q) = Σ_v p_v (log p_v - log q_v) in nats, p = softmax(logits_V), q = softmax(refLogits_V).
 * Adds scale · dKL/dlogits_v = scale · p_v (log p_v - log q_v - KL) to `gradLogits_V` when it is given.
 * @param from where the row of V logits starts in all three arrays.
 */
export function exactKl(
  logits: ArrayLike<number>,
  refLogits: ArrayLike<number>,
  from: number,
  V: number,
  gradLogits: Float64Array | null = null,
  scale = 1,
): number {
  const norm = logSumExp(logits, from, V);
  const refNorm = logSumExp(refLogits, from, V);
  let kl = 0;
  for (let v = 0; v < V; v++) {
    const logp = logits[from + v]! - norm;
    kl += Math.exp(logp) * (logp - (refLogits[from + v]! - refNorm));
  }
  if (gradLogits) {
    for (let v = 0; v < V; v++) {
      const logp = logits[from + v]! - norm;
      gradLogits[from + v]! += scale * Math.exp(logp) * (logp - (refLogits[from + v]! - refNorm) - kl);
    }
  }
  return kl;
}
