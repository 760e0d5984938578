// SAPO (Gao et al. 2025, "Soft Adaptive Policy Optimization", arXiv 2511.20347): a smooth gate instead
// of a hard clip, loss = -(4/τ)·σ(τ(w - 1))·A with τ+ for A > 0 and τ- otherwise. At w = 1 its slope is
// that of the unclipped ratio.
import type { Surrogate } from "./types.ts";

export const sapoSurrogate: Surrogate = (input, ratios, config, out) => {
  const { advantages_K, mask_K } = input;
  const { ratio_K } = ratios;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    const A = advantages_K[k]!;
    const tau = A > 0 ? config.sapoTemperaturePos : config.sapoTemperatureNeg;
    const gate = 1 / (1 + Math.exp(-tau * (ratio_K[k]! - 1)));
    out.loss_K[k] = (-4 / tau) * gate * A;
    out.dRatio_K[k] = -4 * gate * (1 - gate) * A;
  }
};
