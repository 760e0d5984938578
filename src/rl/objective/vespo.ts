// VESPO (2026, arXiv 2602.10693) as TRL computes it: the whole
// sequence's ratio W = exp(Σ clamp(lp - old, ±20)) weighs each token by
//   φ(W) = W^k · exp(λ(1 - W)), φ(1) = 1, loss = -φ·A·log π,
// with (k, λ) chosen by the sign of A. Σ is clamped to [log 1e-8, 20].
// By default φ is held fixed: it weighs the policy gradient and is not itself differentiated, as in the
// paper's estimator and in TRL, whose function runs without gradient. With vespoFixedWeight off it moves:
// the loss is the same and dφ/dΣ = φ·(k - λW) flows to every token of the sequence.
import type { Surrogate } from "./types.ts";

const LOG_FLOOR = Math.log(1e-8);
const LOG_CEILING = 20;

function phi(logWeight: number, k: number, lambda: number): number {
  const value = Math.exp(lambda + k * logWeight - lambda * Math.exp(logWeight));
  return Number.isFinite(value) ? value : 0;
}

export const vespoSurrogate: Surrogate = (input, ratios, config, out) => {
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
    const slopePos = isMoving ? config.vespoKPos - config.vespoLambdaPos * Math.exp(logWeight) : 0;
    const slopeNeg = isMoving ? config.vespoKNeg - config.vespoLambdaNeg * Math.exp(logWeight) : 0;
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
