// Divergence of the policy from a frozen reference, estimated from one sampled token: the estimators of J. Schulman,
// "Approximating KL Divergence" (2020, joschu.net/blog/kl-approx.html), and others like them, in the order they are listed.
// A new one is a file beside this one and an entry in this list. No clamping anywhere.
import type { KlEstimator } from "./estimator.ts";
import { exact } from "./exact.ts";
import { k1 } from "./k1.ts";
import { k2 } from "./k2.ts";
import { k3 } from "./k3.ts";
import { k3Plus } from "./k3Plus.ts";

export const klEstimators = [k1, k2, k3, k3Plus, exact] as const;
export type KlEstimatorId = (typeof klEstimators)[number]["id"];

/** The default, and what stands in where another program has nothing like the one that is set. */
export const usualKl = k3;

/** The estimator that settings name. */
export function klEstimatorOf({ klEstimator }: { readonly klEstimator: string }): KlEstimator {
  const found = klEstimators.find(({ id }) => id === klEstimator);
  if (!found) throw new Error(`internal: there is no KL estimator ${klEstimator}`);
  return found;
}

/** Whether the KL is counted over whole rows of logits rather than estimated from sampled tokens. */
export function isKlOverRows(config: { readonly klEstimator: string }): boolean {
  return klEstimatorOf(config).isOverRows ?? false;
}

/** Names of those that are counted over whole rows of logits, or of the others. */
export function klEstimatorIds({ isOverRows }: { readonly isOverRows: boolean }): readonly KlEstimatorId[] {
  return klEstimators.filter((each: KlEstimator) => (each.isOverRows ?? false) === isOverRows).map(({ id }) => id);
}

/** Estimate of KL(policy || reference) in nats from one token drawn from the policy. */
export function klValue(klEstimator: KlEstimatorId, logprob: number, refLogprob: number): number {
  return klEstimatorOf({ klEstimator }).value(logprob - refLogprob);
}

/** What the loss takes for its derivative with respect to logprob. */
export function klGradient(klEstimator: KlEstimatorId, logprob: number, refLogprob: number): number {
  return klEstimatorOf({ klEstimator }).slope(logprob - refLogprob);
}

interface KlSettings {
  readonly klPlacement: "loss" | "reward";
  readonly klEstimator: string;
  readonly klCoef: number;
}

/** Weight of the KL that sampled tokens add to the loss; 0 where it stands in the reward or is counted over whole rows. */
export function lossKlCoef(config: KlSettings): number {
  return config.klPlacement === "loss" && !isKlOverRows(config) ? config.klCoef : 0;
}

/** Weight of the KL over whole rows of logits, which the model adds to the loss itself. */
export function exactKlCoef(config: KlSettings): number {
  return config.klPlacement === "loss" && isKlOverRows(config) ? config.klCoef : 0;
}
