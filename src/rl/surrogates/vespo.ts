// VESPO (2026, arXiv 2602.10693) as TRL computes it: the whole
// sequence's ratio W = exp(Σ clamp(lp - old, ±20)) weighs each token by
//   φ(W) = W^k · exp(λ(1 - W)), φ(1) = 1, loss = -φ·A·log π,
// with (k, λ) chosen by the sign of A. Σ is clamped to [log 1e-8, 20].
// By default φ is held fixed: it weighs the policy gradient and is not itself differentiated, as in the
// paper's estimator and in TRL, whose function runs without gradient. With vespoFixedWeight off it moves:
// the loss is the same and dφ/dΣ = φ·(k - λW) flows to every token of the sequence.
import { flag, number } from "../../protocol/config/field.ts";
import { exp, log } from "../exactMath.ts";
import { only, surrogate, weighs } from "./surrogate.ts";

const ofVespo = { ...weighs, advanced: true, noEffect: [only("vespo")] } as const;

const LOG_FLOOR = log(1e-8);
const LOG_CEILING = 20;

function phi(logWeight: number, k: number, lambda: number): number {
  const value = exp(lambda + k * logWeight - lambda * exp(logWeight));
  return Number.isFinite(value) ? value : 0;
}

export const vespo = surrogate({
  id: "vespo",
  title: "VESPO",
  settings: {
    vespoKPos: number(0.01, 20, 2, "VESPO k+", "Shape for advantages >= 0.", ofVespo),
    vespoLambdaPos: number(0.01, 20, 3, "VESPO λ+", "Rate for advantages >= 0.", ofVespo),
    vespoKNeg: number(0.01, 20, 3, "VESPO k-", "Shape for advantages < 0.", ofVespo),
    vespoLambdaNeg: number(0.01, 20, 2, "VESPO λ-", "Rate for advantages < 0.", ofVespo),
    vespoFixedWeight: flag(
      true,
      "VESPO fixed weight",
      "Hold the sequence weight φ fixed as the paper does; off lets the gradient flow through it.",
      ofVespo,
    ),
  },

  ratio: "unused",
  movesSequence: ({ vespoFixedWeight }) => !vespoFixedWeight,
  fill: ({ advantages_K, logprobs_K, mask_K, sequenceStart_Q }, { logRatio_K, trained_Q }, settings, out) => {
    const base = sequenceStart_Q[0]!;
    for (let q = 0; q < trained_Q.length; q++) {
      const start = sequenceStart_Q[q]! - base;
      const end = sequenceStart_Q[q + 1]! - base;
      let sum = 0;
      for (let k = start; k < end; k++) sum += Math.max(-20, Math.min(20, logRatio_K[k]!));
      const logWeight = Math.max(LOG_FLOOR, Math.min(LOG_CEILING, sum));
      const isMoving = !settings.vespoFixedWeight && logWeight === sum;
      const phiPos = phi(logWeight, settings.vespoKPos, settings.vespoLambdaPos);
      const phiNeg = phi(logWeight, settings.vespoKNeg, settings.vespoLambdaNeg);
      const slopePos = isMoving ? settings.vespoKPos - settings.vespoLambdaPos * exp(logWeight) : 0;
      const slopeNeg = isMoving ? settings.vespoKNeg - settings.vespoLambdaNeg * exp(logWeight) : 0;
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
      out.sequenceWeight_Q[q] = trained_Q[q]! > 0 ? phiSum / trained_Q[q]! : phiPos;
    }
  },

  metrics: (sums) => ({ "vespo/phi_seq_mean": sums.sequenceWeight / Math.max(1, sums.sequences) }),

  formula: ({ detached, weight, advantage, times, logprob }, { vespoFixedWeight }) => {
    const phi = weight("\\varphi(W)");
    return `-${vespoFixedWeight ? detached(phi) : phi}${times}${advantage}${times}${logprob}`;
  },
  bounds: () => [],
  brake: () => "A smooth function of a completion's whole ratio weighs its tokens.",
  whyHeld: () => "VESPO weighs the whole completion by its ratio and clips no token.",

  trl: {
    loss: "vespo",
    aggregation: "token-mean",
    options: ({ vespoKPos, vespoLambdaPos, vespoKNeg, vespoLambdaNeg }) => ({
      vespo_k_pos: vespoKPos,
      vespo_lambda_pos: vespoLambdaPos,
      vespo_k_neg: vespoKNeg,
      vespo_lambda_neg: vespoLambdaNeg,
    }),
    lost: ({ vespoFixedWeight }) => [[!vespoFixedWeight, "vespoFixedWeight", "TRL holds the weight fixed"]],
  },
});
