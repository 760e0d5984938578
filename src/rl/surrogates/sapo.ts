// SAPO (Gao et al. 2025, "Soft Adaptive Policy Optimization", arXiv 2511.20347): a smooth gate instead
// of a hard clip, loss = -(4/τ)·σ(τ(w - 1))·A with τ+ for A > 0 and τ- otherwise. At w = 1 its slope is
// that of the unclipped ratio.
import { number } from "../../protocol/config/field.ts";
import { exp } from "../exactMath.ts";
import { only, surrogate, weighs } from "./surrogate.ts";

const ofSapo = { ...weighs, advanced: true, noEffect: [only("sapo")] } as const;

export const sapo = surrogate({
  id: "sapo",
  title: "SAPO",
  settings: {
    sapoTemperaturePos: number(0.01, 10, 1, "SAPO τ+", "Gate temperature for positive advantages.", ofSapo),
    sapoTemperatureNeg: number(0.01, 10, 1.05, "SAPO τ-", "Gate temperature for negative advantages.", ofSapo),
  },

  ratio: "moves",
  fill: ({ advantages_K, mask_K }, { ratio_K }, { sapoTemperaturePos, sapoTemperatureNeg }, out) => {
    for (let k = 0; k < mask_K.length; k++) {
      if (!mask_K[k]) continue;
      const A = advantages_K[k]!;
      const tau = A > 0 ? sapoTemperaturePos : sapoTemperatureNeg;
      const gate = 1 / (1 + exp(-tau * (ratio_K[k]! - 1)));
      out.loss_K[k] = (-4 / tau) * gate * A;
      out.dRatio_K[k] = -4 * gate * (1 - gate) * A;
    }
  },

  formula: ({ isFilled, isPositive, ratio, advantage, times, bound, setting }, { sapoTemperaturePos, sapoTemperatureNeg }) => {
    const tau = isPositive ? sapoTemperaturePos : sapoTemperatureNeg;
    const factor = `${setting("\\tau", tau)}${isFilled ? "\\," : ""}`;
    return `-\\tfrac{4}{${bound("\\tau", tau)}}\\,\\sigma\\bigl(${factor}(${ratio}-1)\\bigr)${times}${advantage}`;
  },
  bounds: () => [],
  brake: () => "A smooth gate fades tokens whose ratio leaves 1.",
  whyHeld: () => "SAPO has a smooth gate in place of a clip: the further the ratio is from 1, the weaker the push.",

  trl: {
    loss: "sapo",
    aggregation: "sequence-mean",
    options: ({ sapoTemperaturePos, sapoTemperatureNeg }) => ({
      sapo_temperature_pos: sapoTemperaturePos,
      sapo_temperature_neg: sapoTemperatureNeg,
    }),
  },
});
