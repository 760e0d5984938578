// The clipped surrogate of PPO (Schulman et al. 2017, arXiv 1707.06347, eq. 7) with its later bounds:
// clip-higher (DAPO, arXiv 2503.14476), two-sided δ (INTELLECT-2, arXiv 2505.07291, eq. 1) and dual clip
// (Ye et al. 2020, arXiv 1912.09729, eq. 5). Written as TRL's GRPOTrainer computes it:
//   loss = -min(min(w, δ)·A, clip(w, 1 - ε_low, 1 + ε_high)·A), and for A < 0 never above -c·A.
// Where min() has two equal arguments each gets half the derivative, as automatic differentiation does.
import { number } from "../../protocol/config/field.ts";
import { ON_POLICY } from "../../protocol/config/noEffect.ts";
import { exactText, measureText } from "../../protocol/quantities.ts";
import { isOnPolicy } from "../objective/ratio.ts";
import type { ClipState } from "../objective/types.ts";
import { only, surrogate, weighs } from "./surrogate.ts";

const ofClip = {
  ...weighs,
  noEffect: [
    only("clip", "only the clip surrogate clips the ratio"),
    { when: ON_POLICY, why: "with one optimizer step per batch the ratio stays 1" },
  ],
} as const;

const REGION = "clip_ratio/region_mean";
const SHARES = ["low_mean", "low_min", "high_mean", "high_max", "region_mean", "outer_mean"] as const;

export const clip = surrogate({
  id: "clip",
  title: "Clipped ratio",
  settings: {
    clipLow: number(0, 10, 0.2, "Clip below ε", "The ratio is clipped below 1 - ε.", { live: true, ...ofClip }),
    clipHigh: number(0, 10, 0.2, "Clip above ε", "The ratio is clipped above 1 + ε (clip-higher when larger than below).", {
      live: true,
      compared: true,
      ...ofClip,
    }),
    clipDelta: number(0, 100, 0, "Two-sided bound δ", "Upper bound of the ratio for negative advantages too; 0 turns it off.", {
      advanced: true,
      ...ofClip,
    }),
    dualClip: number(0, 100, 0, "Dual clip c", "Lower bound c·A of the objective for negative advantages; 0 turns it off.", {
      advanced: true,
      ...ofClip,
    }),
  },
  rules: ({ clipLow, clipHigh, clipDelta, dualClip }) => [
    [clipLow > 1, "clipLow", "must be <= 1 (the ratio is never negative)"],
    [clipDelta > 0 && clipDelta <= 1 + clipHigh, "clipDelta", `must be 0 or > 1 + clipHigh = ${1 + clipHigh}`],
    [dualClip > 0 && dualClip <= 1, "dualClip", "must be 0 or > 1"],
  ],

  ratio: "moves",
  fill: ({ advantages_K, mask_K }, { ratio_K }, settings, out) => {
    const low = 1 - settings.clipLow;
    const high = 1 + settings.clipHigh;
    const delta = settings.clipDelta > 0 ? settings.clipDelta : Number.POSITIVE_INFINITY;
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
      if (settings.dualClip > 0 && A < 0 && objective < settings.dualClip * A) {
        objective = settings.dualClip * A;
        slope = 0;
        state = 2;
      }
      out.loss_K[k] = -objective;
      out.dRatio_K[k] = -slope;
      out.clipState_K[k] = state;
    }
  },

  metrics: (sums) => {
    const ratios = Math.max(1, sums.ratios);
    return {
      "clip_ratio/low_mean": sums.clippedLow / ratios,
      "clip_ratio/low_min": sums.lowShareMin,
      "clip_ratio/high_mean": sums.clippedHigh / ratios,
      "clip_ratio/high_max": sums.highShareMax,
      [REGION]: (sums.clippedLow + sums.clippedHigh) / ratios,
      "clip_ratio/outer_mean": sums.heldOuter / ratios,
    };
  },
  shares: SHARES.map((name) => `clip_ratio/${name}`),
  heldShare: { key: REGION, label: "clipped" },

  formula: ({ isFilled, ratio, advantage, bound, isNegative }, { clipLow, clipHigh, clipDelta, dualClip }) => {
    const A = isFilled ? `\\cdot ${advantage}` : advantage;
    const range = bound("1-\\varepsilon_{\\text{low}},\\,1+\\varepsilon_{\\text{high}}", 1 - clipLow, 1 + clipHigh);
    const first = clipDelta > 0 ? `\\min(${ratio},${bound("\\delta", clipDelta)})` : ratio;
    const inner = `\\min\\bigl(${first}\\,${A},\\allowbreak\\operatorname{clip}(${ratio},\\,${range})\\,${A}\\bigr)`;
    // The floor holds for negative advantages alone.
    return dualClip > 0 && isNegative ? `-\\max\\bigl(${inner},\\ ${bound("c", dualClip)}\\,${A}\\bigr)` : `-${inner}`;
  },
  bounds: ({ clipDelta, dualClip }) => [
    "clipLow",
    "clipHigh",
    ...(clipDelta > 0 ? ["clipDelta" as const] : []),
    ...(dualClip > 0 ? ["dualClip" as const] : []),
  ],
  brake: ({ clipLow, clipHigh }) =>
    `Past a ratio of ${exactText(1 - clipLow)} or ${exactText(1 + clipHigh)} a token is clipped: no more push that way.`,
  whyHeld: ({ ratio, advantage, clipState }, settings) => {
    const { clipLow, clipHigh } = settings;
    if (clipState === 1)
      return `Clipped: its advantage pulls it up, and with a ratio of ${measureText(ratio)} it is already above 1 + ε = ${exactText(1 + clipHigh)}. No more push from the policy.`;
    if (clipState === -1)
      return `Clipped: its advantage pushes it down, and with a ratio of ${measureText(ratio)} it is already below 1 − ε = ${exactText(1 - clipLow)}. No more push from the policy.`;
    if (clipState === 2) return "Held by the outer bound: the ratio has grown so far that this token gets no push.";
    if (isOnPolicy(settings))
      return "Not clipped: with one optimizer step for each batch the policy is still the one that sampled, so the ratio is 1.";
    if (ratio > 1 + clipHigh && advantage < 0)
      return "Not clipped, although the ratio is above 1 + ε: the advantage pushes it back down, and the clip only stops pushes that lead further away.";
    if (ratio < 1 - clipLow && advantage > 0)
      return "Not clipped, although the ratio is below 1 − ε: the advantage pulls it back up, and the clip only stops pushes that lead further away.";
    return `Not clipped: the ratio lies between ${exactText(1 - clipLow)} and ${exactText(1 + clipHigh)}.`;
  },
  clipWords: (state, { clipLow, clipHigh }) => {
    if (state === -1) return `clipped: ratio below 1 − ε = ${exactText(1 - clipLow)}, no push`;
    if (state === 1) return `clipped: ratio above 1 + ε = ${exactText(1 + clipHigh)}, no push`;
    return state === 2 ? "held by the two-sided bound or the dual clip, no push" : "not clipped";
  },

  trl: {
    options: ({ clipLow, clipHigh, clipDelta }) => ({
      epsilon: clipLow,
      epsilon_high: clipHigh,
      ...(clipDelta > 0 ? { delta: clipDelta } : {}),
    }),
    lost: ({ dualClip }) => [[dualClip > 0, "dualClip", "TRL has no lower bound for negative advantages"]],
  },
  verl: {
    options: ({ clipLow, clipHigh, dualClip }) => ({
      clip_ratio: clipLow,
      clip_ratio_low: clipLow,
      clip_ratio_high: clipHigh,
      ...(dualClip > 1 ? { clip_ratio_c: dualClip } : {}),
    }),
  },
  tinker: ({ clipLow, clipHigh, clipDelta, dualClip }) => {
    if (clipDelta > 0 || dualClip > 0) return "servers clip with two bounds alone";
    const low = 1 - clipLow;
    const high = 1 + clipHigh;
    const slope = (A: number, ratio: number) => ((A > 0 ? ratio > high : ratio < low) ? 0 : 0 - ratio * A);
    return { name: "ppo", clip: [low, high], slope };
  },
});
