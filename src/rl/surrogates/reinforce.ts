// The plain policy gradient (Williams 1992): loss = -A·log π. The ratio plays no part, so it is right
// only for the first pass over freshly sampled tokens.
import { isOnPolicy } from "../objective/ratio.ts";
import { surrogate } from "./surrogate.ts";

export const reinforce = surrogate({
  id: "reinforce",
  title: "REINFORCE",
  settings: {},

  ratio: "unused",
  fill: ({ advantages_K, logprobs_K, mask_K }, _ratios, _settings, out) => {
    for (let k = 0; k < mask_K.length; k++) {
      if (!mask_K[k]) continue;
      out.loss_K[k] = -advantages_K[k]! * logprobs_K[k]!;
      out.dLogprob_K[k] = -advantages_K[k]!;
    }
  },

  formula: ({ advantage, times, logprob }) => `-${advantage}${times}${logprob}`,
  bounds: () => [],
  brake: null,
  whyHeld: () => "REINFORCE uses no ratio, so there is nothing to clip.",

  trl: { lost: (settings) => [[!isOnPolicy(settings), "surrogate", "TRL clips the ratio once it leaves 1"]] },
  tinker: () => ({ name: "cross_entropy", clip: null, slope: (A) => 0 - A }),
});
