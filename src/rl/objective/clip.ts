// The clipped surrogate of PPO (Schulman et al. 2017, arXiv 1707.06347, eq. 7) with its later bounds:
// clip-higher (DAPO, arXiv 2503.14476), two-sided δ (INTELLECT-2, arXiv 2505.07291, eq. 1) and dual clip
// (Ye et al. 2020, arXiv 1912.09729, eq. 5). Written as TRL's GRPOTrainer computes it:
//   loss = -min(min(w, δ)·A, clip(w, 1 - ε_low, 1 + ε_high)·A), and for A < 0 never above -c·A.
import type { ClipState, Surrogate } from "./types.ts";

/** Where min() has two equal arguments each gets half the derivative, as automatic differentiation does. */
export const clipSurrogate: Surrogate = (input, ratios, config, out) => {
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
