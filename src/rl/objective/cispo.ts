// CISPO (MiniMax-M1, arXiv 2506.13585, eq. 4): the ratio is capped and held fixed as a weight, so no
// token loses its gradient to clipping: loss = -sg(min(w, cap))·A·log π. As in TRL the cap is absolute
// (verl's is 1 + ε) and there is no lower one.
import type { Surrogate } from "./types.ts";

export const cispoSurrogate: Surrogate = (input, ratios, config, out) => {
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
