// CISPO (MiniMax-M1, arXiv 2506.13585, eq. 4): the ratio is capped and held fixed as a weight, so no
// token loses its gradient to clipping: loss = -sg(min(w, cap))·A·log π. As in TRL the cap is absolute
// (verl's is 1 + ε) and there is no lower one.
import { number } from "../../protocol/config/field.ts";
import { exactText } from "../../protocol/quantities.ts";
import { only, surrogate, weighs } from "./surrogate.ts";

const CAPPED = "cispo_clip_ratio";

export const cispo = surrogate({
  id: "cispo",
  title: "CISPO",
  settings: {
    cispoMax: number(0.01, 100, 5, "CISPO bound", "Absolute upper bound of the detached ratio; used by the cispo surrogate.", {
      advanced: true,
      ...weighs,
      noEffect: [only("cispo")],
    }),
  },

  ratio: "detached",
  fill: ({ advantages_K, logprobs_K, mask_K }, { ratio_K }, { cispoMax }, out) => {
    for (let k = 0; k < mask_K.length; k++) {
      if (!mask_K[k]) continue;
      const A = advantages_K[k]!;
      const weight = Math.min(ratio_K[k]!, cispoMax);
      out.loss_K[k] = -weight * A * logprobs_K[k]!;
      out.dLogprob_K[k] = -weight * A;
      if (ratio_K[k]! > cispoMax && A > 0) out.clipState_K[k] = 1;
    }
  },

  metrics: (sums) => ({ [CAPPED]: sums.clippedHigh / Math.max(1, sums.ratios) }),
  shares: [CAPPED],
  heldShare: { key: CAPPED, label: "capped" },

  formula: ({ detached, ratio, bound, advantage, times, logprob }, { cispoMax }) =>
    `-${detached(`\\min(${ratio},\\,${bound("c", cispoMax)})`)}${times}${advantage}${times}${logprob}`,
  bounds: () => ["cispoMax"],
  brake: ({ cispoMax }) => `The ratio weighs each token, up to ${exactText(cispoMax)}.`,
  whyHeld: ({ clipState }, { cispoMax }) =>
    clipState === 1
      ? `The ratio is above ${exactText(cispoMax)}, so its weight is capped there; the token keeps its gradient.`
      : `The ratio is below the cap of ${exactText(cispoMax)}, so it weighs the token as it is.`,
  clipWords: (state, { cispoMax }) => (state === 1 ? `weight capped at ${exactText(cispoMax)}` : "not clipped"),

  trl: {
    loss: "cispo",
    aggregation: "token-mean",
    // The same option is the clip's bound otherwise.
    options: ({ surrogate: chosen, cispoMax }): { readonly epsilon_high?: number } =>
      chosen === "cispo" ? { epsilon_high: cispoMax } : {},
  },
  tinker: ({ cispoMax }) => ({
    name: "cispo",
    clip: [0, cispoMax],
    slope: (A, ratio) => 0 - Math.max(0, Math.min(cispoMax, ratio)) * A,
  }),
});
