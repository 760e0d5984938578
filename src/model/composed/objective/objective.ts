// The objective of rl/objective.ts a second time, as TensorFlow.js operations on [sequences, tokens]
// tables: what the papers write, with stop-gradients where they have them, differentiated by the tape
// instead of by hand. Neither form calls the other, so each is the other's check.
import * as tf from "@tensorflow/tfjs";
import type { ObjectiveConfig } from "../../../rl/objective/types.ts";
import { aggregate } from "./aggregation.ts";
import { cispoSurrogate } from "./cispo.ts";
import { clipSurrogate } from "./clip.ts";
import { klEstimate } from "./kl.ts";
import { entropyMask, policyMask } from "./masks.ts";
import { importanceRatios } from "./ratio.ts";
import { reinforceSurrogate } from "./reinforce.ts";
import { sapoSurrogate } from "./sapo.ts";
import type { FixedTables, RatioTables, ScoreTables, TensorSurrogate } from "./types.ts";
import { valueLoss } from "./value.ts";
import { vespoSurrogate } from "./vespo.ts";

const SURROGATES: Readonly<Record<ObjectiveConfig["surrogate"], TensorSurrogate>> = {
  clip: clipSurrogate,
  reinforce: reinforceSurrogate,
  cispo: cispoSurrogate,
  sapo: sapoSurrogate,
  vespo: vespoSurrogate,
};

/** The parts of the loss as they enter it, each a scalar; null where a part is off. */
export interface LossParts {
  readonly policyLoss: tf.Tensor;
  readonly klLoss: tf.Tensor | null;
  readonly entropyLoss: tf.Tensor | null;
  readonly valueLoss: tf.Tensor | null;
}

/** The objective of whole sequences; call inside tf.tidy. Splits and the "exact" KL are as in tokenObjective. */
export function lossParts(scores: ScoreTables, fixed: FixedTables, config: ObjectiveConfig): LossParts {
  const ratios = importanceRatios(scores, fixed, config.ratioLevel);
  const keep_QT = policyMask(scores, fixed, ratios, config.offPolicyThreshold);
  const policy_QT = tf.mul(SURROGATES[config.surrogate](scores, fixed, ratios, config), keep_QT);
  return {
    policyLoss: aggregate(policy_QT, fixed, ratios, config),
    klLoss: klLoss(scores, fixed, ratios, config),
    entropyLoss: entropyLoss(scores, fixed, config),
    valueLoss: scores.values_QT ? valueLoss(scores, fixed, config) : null,
  };
}

/** Sum of the parts. */
export function totalLoss({ policyLoss, klLoss, entropyLoss, valueLoss }: LossParts): tf.Scalar {
  let loss = policyLoss;
  for (const part of [klLoss, entropyLoss, valueLoss]) if (part) loss = tf.add(loss, part);
  return loss as tf.Scalar;
}

/** β·KL of every trained token, those included that the policy masks leave out; times the ratio when bias-corrected. */
function klLoss({ logprobs_QT }: ScoreTables, fixed: FixedTables, ratios: RatioTables, config: ObjectiveConfig): tf.Tensor | null {
  const { refLogprobs_QT, mask_QT } = fixed;
  if (!refLogprobs_QT || config.klPlacement !== "loss" || config.klEstimator === "exact" || config.klCoef === 0) return null;
  // Untrained tokens read d = 0, where every estimate is 0.
  const estimate_QT = klEstimate(config.klEstimator, tf.mul(tf.sub(logprobs_QT, refLogprobs_QT), mask_QT));
  const corrected_QT = config.klBiasCorrection ? tf.mul(estimate_QT, ratios.ratio_QT) : estimate_QT;
  return tf.mul(aggregate(corrected_QT, fixed, ratios, config), config.klCoef);
}

/** -coef · mean entropy of the tokens above the threshold; a token mean divides by all trained tokens, as in TRL. */
function entropyLoss(scores: ScoreTables, fixed: FixedTables, config: ObjectiveConfig): tf.Tensor | null {
  if (config.entropyCoef === 0) return null;
  const { tokens, activeTokens } = fixed.totals;
  const active_QT = tf.mul(fixed.mask_QT, entropyMask(scores, fixed));
  const count = Math.max(1, config.aggregation === "token-mean" ? tokens : activeTokens);
  return tf.mul(tf.sum(tf.mul(scores.entropies_QT, active_QT)), -config.entropyCoef / count);
}
