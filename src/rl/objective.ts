// The objective of every policy-gradient algorithm here, as scalar code with its gradient written out:
// surrogate of the importance ratio, masks, KL to the reference, entropy bonus and critic, each an
// independent switch. It reproduces TRL's GRPOTrainer loss (1.13) and verl's PPO pieces; one idea per
// file lies in objective/. Departures from TRL: a sequence sum is the mean over completions of their
// token sums at either ratio level, and the mean entropy is taken over the whole optimizer batch.

import type { ObjectiveConfig } from "../protocol/config/configFacts.ts";
import { klEstimatorOf, lossKlCoef } from "./kl/index.ts";
import { aggregationOf, aggregationWeights } from "./objective/aggregation.ts";
import { gatherSums } from "./objective/gatherSums.ts";
import { backpropRatios, backpropSequences, importanceRatios, policyMask } from "./objective/ratio.ts";
import { consecutiveSubarrays, type ObjectiveInput, type ObjectiveResult, type Ratios, type SurrogateArrays } from "./objective/types.ts";
import { valueLoss } from "./objective/value.ts";
import { surrogateOf } from "./surrogates/index.ts";

/**
 * Loss of some whole sequences of an optimizer batch and its gradient with respect to every log-prob,
 * entropy and value. Over any split into whole sequences the results of all calls add up to one call on
 * the whole, as long as `totals` is the whole's (micro-token-mean excepted, by definition).
 * A KL over whole rows of logits adds nothing here: the model has the rows, and adds its gradient itself.
 */
export function tokenObjective(input: ObjectiveInput, config: ObjectiveConfig): ObjectiveResult {
  const surrogate = surrogateOf(config);
  const K = input.mask_K.length;
  const ratios = importanceRatios(input, config.ratioLevel);
  const weight_K = aggregationWeights(input, ratios, config);
  const keep_K = policyMask(input, ratios, config.offPolicyThreshold);
  const Q = ratios.trained_Q.length;
  const next = consecutiveSubarrays(new Float64Array(5 * K + Q));
  const arrays: SurrogateArrays = {
    loss_K: next(K),
    dRatio_K: next(K),
    dLogprob_K: next(K),
    dSequence_K: next(K),
    clipState_K: new Int8Array(K),
    sequenceWeight_Q: next(Q),
  };
  surrogate.fill(input, ratios, config, arrays);

  const gradLogprobs_K = next(K);
  let policyLoss = 0;
  for (let k = 0; k < K; k++) {
    const weight = weight_K[k]! * keep_K[k]!;
    policyLoss += weight * arrays.loss_K[k]!;
    gradLogprobs_K[k] = weight * arrays.dLogprob_K[k]!;
    arrays.dRatio_K[k]! *= weight;
    arrays.dSequence_K[k]! *= weight;
  }
  const kl = addKl(input, ratios, config, weight_K, gradLogprobs_K, arrays.dRatio_K);
  backpropRatios(input, ratios, config.ratioLevel, arrays.dRatio_K, gradLogprobs_K);
  if (surrogate.movesSequence?.(config)) backpropSequences(input, ratios, arrays.dSequence_K, gradLogprobs_K);

  const gradEntropies_K = config.entropyCoef === 0 ? null : new Float64Array(K);
  const entropyLoss = gradEntropies_K ? addEntropy(input, config, gradEntropies_K) : 0;
  const gradValues_K = input.values_K ? new Float64Array(K) : null;
  const value = gradValues_K ? valueLoss(input, config, gradValues_K) : { loss: 0, clipped: 0 };

  const sums = gatherSums(input, ratios, config.ratioLevel, arrays, keep_K, kl.klNats_K);
  Object.assign(sums, { policyLoss, klLoss: kl.loss, entropyLoss, valueLoss: value.loss, valueClipped: value.clipped });
  return {
    loss: policyLoss + kl.loss + entropyLoss + value.loss,
    gradLogprobs_K,
    gradEntropies_K,
    gradValues_K,
    policyLoss_K: arrays.loss_K,
    weight_K,
    keep_K,
    ratio_K: ratios.ratio_K,
    clipState_K: arrays.clipState_K,
    klNats_K: kl.klNats_K,
    sums,
  };
}

/**
 * β·KL on every trained token (the policy masks do not remove it), times the ratio when bias-corrected.
 * Adds its derivatives to `grad_K` and `dRatio_K`; measures the KL even where it is not in the loss.
 */
function addKl(
  input: ObjectiveInput,
  ratios: Ratios,
  config: ObjectiveConfig,
  weight_K: Float64Array,
  grad_K: Float64Array,
  dRatio_K: Float64Array,
): { readonly loss: number; readonly klNats_K: Float64Array } {
  const { logprobs_K, refLogprobs_K, mask_K } = input;
  const klNats_K = new Float64Array(mask_K.length);
  if (!refLogprobs_K) return { loss: 0, klNats_K };
  const { value, slope } = klEstimatorOf(config);
  const beta = lossKlCoef(config);
  const corrected = config.klBiasCorrection && config.klPlacement === "loss";
  let loss = 0;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const d = logprobs_K[k]! - refLogprobs_K[k]!;
    const estimate = value(d);
    const factor = corrected ? ratios.ratio_K[k]! : 1;
    klNats_K[k] = estimate * factor;
    if (beta === 0) continue;
    const weight = beta * weight_K[k]!;
    loss += weight * estimate * factor;
    grad_K[k]! += weight * factor * slope(d);
    if (corrected) dRatio_K[k]! += weight * estimate;
  }
  return { loss, klNats_K };
}

/**
 * -coef · mean entropy of the tokens that pass the top-entropy mask. As in TRL a token mean divides by
 * all trained tokens, the other aggregations by those that pass.
 */
function addEntropy(input: ObjectiveInput, config: ObjectiveConfig, grad_K: Float64Array): number {
  const { entropies_K, mask_K, totals } = input;
  if (!entropies_K) throw new Error("internal: an entropy bonus needs entropies");
  const weight = -config.entropyCoef / Math.max(1, aggregationOf(config).meansAllEntropies ? totals.tokens : totals.activeTokens);
  let loss = 0;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k] || entropies_K[k]! < totals.entropyThreshold) continue;
    loss += weight * entropies_K[k]!;
    grad_K[k] = weight;
  }
  return loss;
}
