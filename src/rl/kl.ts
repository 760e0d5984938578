// Divergence of the policy from a frozen reference. From one sampled token: the estimators of
// J. Schulman, "Approximating KL Divergence" (2020, joschu.net/blog/kl-approx.html), and k3+, which
// reports k3 but sends back k2's gradient (the one whose expectation is the gradient of the KL).
// No clamping anywhere.

import type { RunConfig } from "../protocol/config.ts";
import { expm1 } from "./exactMath.ts";

export type KlEstimator = RunConfig["klEstimator"];

/**
 * Estimate of KL(policy || reference) in nats from one token drawn from the policy, with d = logprob - refLogprob:
 * k1 = d, k2 = d²/2, k3 = exp(-d) + d - 1. "exact" needs whole rows, which the tabular model has; here it reads as k3.
 */
export function klValue(estimator: KlEstimator, logprob: number, refLogprob: number): number {
  const d = logprob - refLogprob;
  if (estimator === "k1") return d;
  if (estimator === "k2") return 0.5 * d * d;
  // expm1 keeps the digits where policy and reference nearly agree.
  return expm1(-d) + d;
}

/** Derivative of klValue with respect to logprob: 1, d, 1 - exp(-d); k3+ takes k2's. */
export function klGradient(estimator: KlEstimator, logprob: number, refLogprob: number): number {
  const d = logprob - refLogprob;
  if (estimator === "k1") return 1;
  if (estimator === "k2" || estimator === "k3+") return d;
  return -expm1(-d);
}

type KlSettings = Pick<RunConfig, "klPlacement" | "klEstimator" | "klCoef">;

/** Weight of the KL that sampled tokens add to the loss; 0 where it stands in the reward or is counted over whole rows. */
export function lossKlCoef({ klPlacement, klEstimator, klCoef }: KlSettings): number {
  return klPlacement === "loss" && klEstimator !== "exact" ? klCoef : 0;
}

/** Weight of the KL over whole rows of logits, which the model adds to the loss itself. */
export function exactKlCoef({ klPlacement, klEstimator, klCoef }: KlSettings): number {
  return klPlacement === "loss" && klEstimator === "exact" ? klCoef : 0;
}
