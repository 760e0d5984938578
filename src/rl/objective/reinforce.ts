// The plain policy gradient (Williams 1992): loss = -A·log π. The ratio plays no part, so it is right
// only for the first pass over freshly sampled tokens.
import type { Surrogate } from "./types.ts";

export const reinforceSurrogate: Surrogate = (input, _ratios, _config, out) => {
  const { advantages_K, logprobs_K, mask_K } = input;
  for (let k = 0; k < mask_K.length; k++) {
    if (!mask_K[k]) continue;
    out.loss_K[k] = -advantages_K[k]! * logprobs_K[k]!;
    out.dLogprob_K[k] = -advantages_K[k]!;
  }
};
