// Divergence from a frozen reference at sampled tokens, with the estimators of J. Schulman (2020,
// joschu.net/blog/kl-approx.html) and k3+, the straight-through form: k3's value with k2's gradient.
import * as tf from "@tensorflow/tfjs";
import type { KlEstimator } from "../../../rl/kl.ts";
import { held } from "./held.ts";

/** Estimate of KL(policy || reference) in nats for d = logprob - refLogprob; "exact", which needs whole rows, reads as k3. */
export function klEstimate(estimator: KlEstimator, d: tf.Tensor): tf.Tensor {
  if (estimator === "k1") return d;
  const k2 = tf.mul(tf.square(d), 0.5);
  if (estimator === "k2") return k2;
  // expm1 keeps the digits where policy and reference nearly agree.
  const k3 = tf.add(tf.expm1(tf.neg(d)), d);
  if (estimator !== "k3+") return k3;
  return tf.add(
    k2,
    held((k3, k2) => tf.sub(k3, k2), k3, k2),
  );
}
