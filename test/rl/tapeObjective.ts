// The objective of rl/objective.ts a second time, as an oracle: what the papers write, in TensorFlow.js
// operations on [sequences, tokens] tables, with stop-gradients where they have them, differentiated by
// its tape instead of by hand. Nothing of the scalar form is called. A surrogate may do without a form here: its
// derivatives are held to its own loss in any case. Tables are padded at the end; mask 0 stands at padding as at
// any token that is not trained.
import * as tf from "@tensorflow/tfjs";
import { tidy } from "../../src/model/composed/differentiable.ts";
import type { ObjectiveConfig } from "../../src/protocol/config/configFacts.ts";
import type { ObjectiveInput, ObjectiveResult } from "../../src/rl/objective/types.ts";

type Table = tf.Tensor;

/** The input as tables [Q, T]; sums of a row are [Q, 1]. */
interface Tables {
  readonly logprobs: Table;
  readonly old: Table;
  readonly ref: Table | null;
  readonly entropies: Table;
  readonly advantages: Table;
  readonly mask: Table;
  readonly critic: { readonly values: Table; readonly old: Table; readonly returns: Table } | null;
  readonly totals: ObjectiveInput["totals"];
}

/** Importance ratios: new - old log-prob and its exponential, 0 and 1 where a token is not trained. */
interface Ratios {
  readonly ratio: Table;
  readonly logRatio: Table;
  /** Trained tokens of each sequence, [Q, 1]. */
  readonly trained: Table;
}

/** compute(...inputs) as a constant, as under a stop-gradient; comparisons, which tfjs cannot differentiate, may appear inside. */
function held(compute: (...inputs: tf.Tensor[]) => tf.Tensor, ...inputs: tf.Tensor[]): tf.Tensor {
  const shapes = inputs.map(({ shape }) => shape);
  return tf.customGrad((...args) => ({
    // The save function comes last.
    value: compute(...(args.slice(0, shapes.length) as tf.Tensor[])),
    gradFunc: () => shapes.map((shape) => tf.zeros(shape)),
  }))(...inputs);
}

/** Minimum and maximum that give each of two equal arguments half the derivative; tfjs gives all of it to the first. */
const lesser = (a: Table, b: Table) => tf.mul(tf.add(tf.minimum(a, b), tf.minimum(b, a)), 0.5);
const greater = (a: Table, b: Table) => tf.mul(tf.add(tf.maximum(a, b), tf.maximum(b, a)), 0.5);
/** 1 where the condition holds, 0 elsewhere. */
const indicator = (condition: Table) => tf.cast(condition, "float32");
const rowSum = (table: Table) => tf.sum(table, 1, true);

/** token: exp(lp_t - old_t). sequence: exp(mean of lp - old over the trained tokens) (GSPO, arXiv 2507.18071, eq. 7). */
function importanceRatios({ logprobs, old, mask }: Tables, level: ObjectiveConfig["ratioLevel"]): Ratios {
  const logRatio = tf.mul(tf.sub(logprobs, old), mask);
  const trained = rowSum(mask);
  if (level === "token") return { ratio: tf.exp(logRatio), logRatio, trained };
  // The mask spreads the mean over the row: the gradient of a product, unlike that of a minimum, knows broadcasting.
  const mean = tf.div(rowSum(logRatio), tf.maximum(trained, 1));
  return { ratio: tf.exp(tf.mul(mean, mask)), logRatio, trained };
}

/** VESPO's weight of a sequence, W^k·exp(λ(1 - W)); 0 where the exponent is no float32, as in TRL. */
function phi(logWeight: Table, k: number, lambda: number): Table {
  const exponent = tf.add(tf.sub(tf.mul(logWeight, k), tf.mul(tf.exp(logWeight), lambda)), lambda);
  const hasValue = held((value) => indicator(tf.lessEqual(value, 88)), exponent);
  return tf.mul(tf.exp(tf.minimum(exponent, 88)), hasValue);
}

type Surrogate = (tables: Tables, ratios: Ratios, config: ObjectiveConfig) => Table;

/** Policy loss of each token, before masks and aggregation; of the surrogates that are written a second time here. */
const SURROGATES: Readonly<Record<string, Surrogate>> = {
  // PPO (arXiv 1707.06347, eq. 7) with clip-higher (2503.14476), two-sided δ (2505.07291, eq. 1), dual clip (1912.09729, eq. 5).
  clip: ({ advantages }, { ratio }, config) => {
    const bounded = config.clipDelta > 0 ? tf.minimum(ratio, config.clipDelta) : ratio;
    const clipped = tf.clipByValue(ratio, 1 - config.clipLow, 1 + config.clipHigh);
    const objective = lesser(tf.mul(bounded, advantages), tf.mul(clipped, advantages));
    if (config.dualClip <= 0) return tf.neg(objective);
    const floored = tf.maximum(objective, tf.mul(advantages, config.dualClip));
    return tf.neg(tf.where(tf.less(advantages, 0), floored, objective));
  },
  // Williams 1992: -A·log π.
  reinforce: ({ logprobs, advantages }) => tf.neg(tf.mul(advantages, logprobs)),
  // CISPO (arXiv 2506.13585, eq. 4): -sg(min(w, cap))·A·log π; the cap is absolute and there is no lower one.
  cispo: ({ logprobs, advantages }, { ratio }, config) => {
    const weight = held((ratio) => tf.minimum(ratio, config.cispoMax), ratio);
    return tf.neg(tf.mul(tf.mul(weight, advantages), logprobs));
  },
  // SAPO (arXiv 2511.20347): -(4/τ)·σ(τ(w - 1))·A, with τ by the sign of A.
  sapo: ({ advantages }, { ratio }, { sapoTemperaturePos: pos, sapoTemperatureNeg: neg }) => {
    const tau = tf.add(tf.mul(indicator(tf.greater(advantages, 0)), pos - neg), neg);
    const gate = tf.sigmoid(tf.mul(tau, tf.sub(ratio, 1)));
    return tf.mul(tf.div(tf.mul(gate, -4), tau), advantages);
  },
  // VESPO (arXiv 2602.10693): -φ(W)·A·log π, W the ratio of the whole sequence, (k, λ) by the sign of A, clamps as in TRL.
  vespo: ({ logprobs, advantages }, { logRatio }, config) => {
    const logWeight = tf.clipByValue(rowSum(tf.clipByValue(logRatio, -20, 20)), Math.log(1e-8), 20);
    const isPositive = indicator(tf.greaterEqual(advantages, 0));
    const moving = tf.add(
      tf.mul(phi(logWeight, config.vespoKPos, config.vespoLambdaPos), isPositive),
      tf.mul(phi(logWeight, config.vespoKNeg, config.vespoLambdaNeg), tf.sub(1, isPositive)),
    );
    const weight = config.vespoFixedWeight ? held((weight) => tf.clone(weight), moving) : moving;
    return tf.neg(tf.mul(tf.mul(weight, advantages), logprobs));
  },
};

/** The surrogates that have a form on the tape. */
export const onTape: readonly string[] = Object.keys(SURROGATES);

/** 1 where the entropy reaches the batch's threshold (arXiv 2506.01939). */
function entropyMask({ entropies, totals }: Tables): Table {
  if (totals.entropyThreshold === Number.NEGATIVE_INFINITY) return tf.onesLike(entropies);
  return held((entropies) => indicator(tf.greaterEqual(entropies, totals.entropyThreshold)), entropies);
}

/** 1 where a policy loss counts: not below the entropy threshold, nor pushed down far off policy (arXiv 2512.02556, section 3.1). */
function policyMask(tables: Tables, { logRatio, trained }: Ratios, threshold: number): Table {
  const keep = tf.mul(tables.mask, entropyMask(tables));
  if (threshold <= 0) return keep;
  const isFar = held(
    (logRatio, trained) => indicator(tf.greater(tf.div(tf.neg(rowSum(logRatio)), tf.maximum(trained, 1)), threshold)),
    logRatio,
    trained,
  );
  return tf.mul(keep, tf.sub(1, tf.mul(isFar, indicator(tf.less(tables.advantages, 0)))));
}

/** One number from token losses that are 0 wherever they do not count. */
function aggregate(loss: Table, { totals }: Tables, { trained }: Ratios, config: ObjectiveConfig): tf.Tensor {
  const sum = tf.sum(loss);
  const sequences = Math.max(1, totals.sequences);
  switch (config.aggregation) {
    case "sequence-mean":
      return tf.div(tf.sum(tf.div(rowSum(loss), tf.maximum(trained, 1))), sequences);
    case "token-mean":
      return tf.div(sum, Math.max(1, totals.tokens));
    case "micro-token-mean":
      return tf.mul(tf.div(sum, tf.maximum(tf.sum(trained), 1)), loss.shape[0]! / sequences);
    case "constant-length":
      return tf.div(sum, sequences * config.maxCompletionTokens);
    case "sequence-sum":
      return tf.div(sum, sequences);
  }
}

/** Estimate of KL(policy || reference) for d = logprob - refLogprob (joschu.net/blog/kl-approx.html); k3+ has k3's value and k2's gradient. */
function klEstimate(estimator: ObjectiveConfig["klEstimator"], d: tf.Tensor): tf.Tensor {
  if (estimator === "k1") return d;
  const k2 = tf.mul(tf.square(d), 0.5);
  if (estimator === "k2") return k2;
  // expm1 keeps the digits where policy and reference nearly agree.
  const k3 = tf.add(tf.expm1(tf.neg(d)), d);
  if (estimator !== "k3+") return k3;
  const gap = held((k3, k2) => tf.sub(k3, k2), k3, k2);
  return tf.add(k2, gap);
}

/** β·KL of every trained token, those included that the policy masks leave out; times the ratio when bias-corrected. */
function klLoss(tables: Tables, ratios: Ratios, config: ObjectiveConfig): tf.Tensor | null {
  const { logprobs, ref, mask } = tables;
  if (!ref || config.klPlacement !== "loss" || config.klEstimator === "exact" || config.klCoef === 0) return null;
  const estimate = klEstimate(config.klEstimator, tf.mul(tf.sub(logprobs, ref), mask));
  const corrected = config.klBiasCorrection ? tf.mul(estimate, ratios.ratio) : estimate;
  return tf.mul(aggregate(corrected, tables, ratios, config), config.klCoef);
}

/** -coef · mean entropy of the tokens above the threshold; a token mean divides by all trained tokens, as in TRL. */
function entropyLoss(tables: Tables, { entropyCoef, aggregation }: ObjectiveConfig): tf.Tensor | null {
  if (entropyCoef === 0) return null;
  const { tokens, activeTokens } = tables.totals;
  const count = Math.max(1, aggregation === "token-mean" ? tokens : activeTokens);
  const active = tf.mul(tables.mask, entropyMask(tables));
  return tf.mul(tf.sum(tf.mul(tables.entropies, active)), -entropyCoef / count);
}

/** ½·max((V - R)², (clip(V, V_old ± ε) - R)²), mean over the trained tokens (arXiv 1707.06347; 2005.12729). */
function valueLoss({ critic, mask, totals }: Tables, { valueClip: range, valueCoef }: ObjectiveConfig): tf.Tensor | null {
  if (!critic) return null;
  const { values, old, returns } = critic;
  const free = tf.square(tf.sub(values, returns));
  const clipped = tf.maximum(tf.minimum(values, tf.add(old, range)), tf.sub(old, range));
  const error = range > 0 ? greater(free, tf.square(tf.sub(clipped, returns))) : free;
  return tf.mul(tf.sum(tf.mul(error, mask)), (0.5 * valueCoef) / Math.max(1, totals.tokens));
}

function lossParts(tables: Tables, config: ObjectiveConfig) {
  const ratios = importanceRatios(tables, config.ratioLevel);
  const policy = tf.mul(SURROGATES[config.surrogate]!(tables, ratios, config), policyMask(tables, ratios, config.offPolicyThreshold));
  return {
    policyLoss: aggregate(policy, tables, ratios, config),
    klLoss: klLoss(tables, ratios, config),
    entropyLoss: entropyLoss(tables, config),
    valueLoss: valueLoss(tables, config),
  };
}

interface TapeResult extends Pick<ObjectiveResult, "loss" | "gradLogprobs_K" | "gradEntropies_K" | "gradValues_K"> {
  readonly sums: Pick<ObjectiveResult["sums"], "policyLoss" | "klLoss" | "entropyLoss" | "valueLoss">;
}

/** Loss and gradients of `input` in float32, on the tfjs backend that is selected; it must be one that can be read at once. */
export function tapeObjective(input: ObjectiveInput, config: ObjectiveConfig): TapeResult {
  return tidy(() => {
    const starts = input.sequenceStart_Q;
    const Q = starts.length - 1;
    const lengths = Array.from({ length: Q }, (_, q) => starts[q + 1]! - starts[q]!);
    const T = Math.max(1, ...lengths);
    const place_K = lengths.flatMap((length, q) => Array.from({ length }, (_, t) => q * T + t));
    const table = (values_K: ArrayLike<number>) => {
      const values_QT = new Float32Array(Q * T);
      for (const [k, place] of place_K.entries()) values_QT[place] = values_K[k]!;
      return tf.tensor2d(values_QT, [Q, T]) as Table;
    };
    const { values_K, oldValues_K, returns_K, refLogprobs_K } = input;
    const fixed = {
      old: table(input.oldLogprobs_K),
      ref: refLogprobs_K && table(refLogprobs_K),
      advantages: table(input.advantages_K),
      mask: table(input.mask_K),
      totals: input.totals,
    };
    const critic = values_K && oldValues_K && returns_K && { old: table(oldValues_K), returns: table(returns_K) };
    const hasEntropies = config.entropyCoef !== 0;
    const fixedEntropies = table(input.entropies_K!);
    // tfjs refuses to differentiate by what the loss does not read: entropies and values come only where it does.
    const moving = [table(input.logprobs_K), ...(hasEntropies ? [fixedEntropies] : []), ...(values_K ? [table(values_K)] : [])];
    const parts = (...moved: tf.Tensor[]) => {
      const entropies = hasEntropies ? moved[1]! : fixedEntropies;
      return lossParts({ ...fixed, logprobs: moved[0]!, entropies, critic: critic && { ...critic, values: moved.at(-1)! } }, config);
    };
    const total = (...moved: tf.Tensor[]) => tf.addN(Object.values(parts(...moved)).filter((part) => part !== null)) as tf.Scalar;
    const { value, grads } = tf.valueAndGrads(total)(moving);
    const flat = (gradient: tf.Tensor) => {
      const numbers = gradient.dataSync();
      return Float64Array.from(place_K, (place) => numbers[place]!);
    };
    const number = (part: tf.Tensor | null) => part?.dataSync()[0] ?? 0;
    const { policyLoss, klLoss, entropyLoss, valueLoss } = parts(...moving);
    return {
      loss: number(value),
      sums: {
        policyLoss: number(policyLoss),
        klLoss: number(klLoss),
        entropyLoss: number(entropyLoss),
        valueLoss: number(valueLoss),
      },
      gradLogprobs_K: flat(grads[0]!),
      gradEntropies_K: hasEntropies ? flat(grads[1]!) : null,
      gradValues_K: values_K ? flat(grads.at(-1)!) : null,
    };
  });
}
