// How a token's loss follows from its ratio and its advantage, with its derivatives: one surrogate for
// each value of the configuration's `surrogate`. Each fills its arrays for the tokens that are trained.
import { exp, log } from "../exactMath.ts";
import type { ClipState, ObjectiveConfig, Surrogate } from "./types.ts";

/**
 * The clipped surrogate of PPO (Schulman et al. 2017, arXiv 1707.06347, eq. 7) with its later bounds:
 * clip-higher (DAPO, arXiv 2503.14476), two-sided δ (INTELLECT-2, arXiv 2505.07291, eq. 1) and dual clip
 * (Ye et al. 2020, arXiv 1912.09729, eq. 5). Written as TRL's GRPOTrainer computes it:
 *   loss = -min(min(w, δ)·A, clip(w, 1 - ε_low, 1 + ε_high)·A), and for A < 0 never above -c·A.
 * Where min() has two equal arguments each gets half the derivative, as automatic differentiation does.
 */
const clip: Surrogate = (input, ratios, config, out) => {
  const { advantages_K, mask_K } = input;
  const { ratio_K } = ratios;
  const low = 1 - config.clipLow;
  const high = 1 + config.clipHigh;
  const delta = config.clipDelta > 0 ? config.clipDelta : Number.POSITIVE_INFINITY;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const A = advantages_K[k]!;
    const w = ratio_K[k]!;
    const bounded = Math.min(w, delta);
    const clipped = Math.max(low, Math.min(high, w));
    const boundedSlope = w > delta ? 0 : A;
    const clippedSlope = clipped === w ? A : 0;
    const first = bounded * A;
    const second = clipped * A;
    let objective = Math.min(first, second);
    let slope = first < second ? boundedSlope : first > second ? clippedSlope : 0.5 * (boundedSlope + clippedSlope);
    let state: ClipState = 0;
    if (bounded < low && A < 0) state = -1;
    else if (bounded > high && A > 0) state = 1;
    else if (w > delta && slope === 0 && A !== 0) state = 2;
    if (config.dualClip > 0 && A < 0 && objective < config.dualClip * A) {
      objective = config.dualClip * A;
      slope = 0;
      state = 2;
    }
    out.loss_K[k] = -objective;
    out.dRatio_K[k] = -slope;
    out.clipState_K[k] = state;
  }
};

/**
 * The plain policy gradient (Williams 1992): loss = -A·log π. The ratio plays no part, so it is right
 * only for the first pass over freshly sampled tokens.
 */
const reinforce: Surrogate = (input, _ratios, _config, out) => {
  const { advantages_K, logprobs_K, mask_K } = input;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    out.loss_K[k] = -advantages_K[k]! * logprobs_K[k]!;
    out.dLogprob_K[k] = -advantages_K[k]!;
  }
};

/**
 * CISPO (MiniMax-M1, arXiv 2506.13585, eq. 4): the ratio is capped and held fixed as a weight, so no
 * token loses its gradient to clipping: loss = -sg(min(w, cap))·A·log π. As in TRL the cap is absolute
 * (verl's is 1 + ε) and there is no lower one.
 */
const cispo: Surrogate = (input, ratios, config, out) => {
  const { advantages_K, logprobs_K, mask_K } = input;
  const { ratio_K } = ratios;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const A = advantages_K[k]!;
    const weight = Math.min(ratio_K[k]!, config.cispoMax);
    out.loss_K[k] = -weight * A * logprobs_K[k]!;
    out.dLogprob_K[k] = -weight * A;
    if (ratio_K[k]! > config.cispoMax && A > 0) out.clipState_K[k] = 1;
  }
};

/**
 * SAPO (Gao et al. 2025, "Soft Adaptive Policy Optimization", arXiv 2511.20347): a smooth gate instead
 * of a hard clip, loss = -(4/τ)·σ(τ(w - 1))·A with τ+ for A > 0 and τ- otherwise. At w = 1 its slope is
 * that of the unclipped ratio.
 */
const sapo: Surrogate = (input, ratios, config, out) => {
  const { advantages_K, mask_K } = input;
  const { ratio_K } = ratios;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const A = advantages_K[k]!;
    const tau = A > 0 ? config.sapoTemperaturePos : config.sapoTemperatureNeg;
    const gate = 1 / (1 + exp(-tau * (ratio_K[k]! - 1)));
    out.loss_K[k] = (-4 / tau) * gate * A;
    out.dRatio_K[k] = -4 * gate * (1 - gate) * A;
  }
};

const LOG_FLOOR = log(1e-8);
const LOG_CEILING = 20;

function phi(logWeight: number, k: number, lambda: number): number {
  const value = exp(lambda + k * logWeight - lambda * exp(logWeight));
  return Number.isFinite(value) ? value : 0;
}

/**
 * VESPO (2026, arXiv 2602.10693) as TRL computes it: the whole
 * sequence's ratio W = exp(Σ clamp(lp - old, ±20)) weighs each token by
 *   φ(W) = W^k · exp(λ(1 - W)), φ(1) = 1, loss = -φ·A·log π,
 * with (k, λ) chosen by the sign of A. Σ is clamped to [log 1e-8, 20].
 * By default φ is held fixed: it weighs the policy gradient and is not itself differentiated, as in the
 * paper's estimator and in TRL, whose function runs without gradient. With vespoFixedWeight off it moves:
 * the loss is the same and dφ/dΣ = φ·(k - λW) flows to every token of the sequence.
 */
const vespo: Surrogate = (input, ratios, config, out) => {
  const { advantages_K, logprobs_K, mask_K, sequenceStart_Q } = input;
  const { logRatio_K, trained_Q } = ratios;
  const base = sequenceStart_Q[0]!;
  for (let q = 0; q < trained_Q.length; q++) {
    const start = sequenceStart_Q[q]! - base;
    const end = sequenceStart_Q[q + 1]! - base;
    let sum = 0;
    for (let k = start; k < end; k++) sum += Math.max(-20, Math.min(20, logRatio_K[k]!));
    const logWeight = Math.max(LOG_FLOOR, Math.min(LOG_CEILING, sum));
    const isMoving = !config.vespoFixedWeight && logWeight === sum;
    const phiPos = phi(logWeight, config.vespoKPos, config.vespoLambdaPos);
    const phiNeg = phi(logWeight, config.vespoKNeg, config.vespoLambdaNeg);
    const slopePos = isMoving ? config.vespoKPos - config.vespoLambdaPos * exp(logWeight) : 0;
    const slopeNeg = isMoving ? config.vespoKNeg - config.vespoLambdaNeg * exp(logWeight) : 0;
    let phiSum = 0;
    for (let k = start; k < end; k++) {
      if (!mask_K[k]) continue;
      const A = advantages_K[k]!;
      const weight = A >= 0 ? phiPos : phiNeg;
      phiSum += weight;
      out.loss_K[k] = -weight * A * logprobs_K[k]!;
      out.dLogprob_K[k] = -weight * A;
      out.dSequence_K[k] = out.loss_K[k]! * (A >= 0 ? slopePos : slopeNeg);
    }
    out.phi_Q[q] = trained_Q[q]! > 0 ? phiSum / trained_Q[q]! : phiPos;
  }
};

export const SURROGATES: Readonly<Record<ObjectiveConfig["surrogate"], Surrogate>> = { clip, reinforce, cispo, sapo, vespo };
