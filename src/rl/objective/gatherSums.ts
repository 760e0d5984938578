// Gathers the sums of one call of the objective from its parts.
import { k3 } from "../kl/k3.ts";
import { emptySums, type ObjectiveSums } from "./sums.ts";
import type { ObjectiveInput, Ratios, SurrogateArrays } from "./types.ts";

/** Everything but the losses and the value clip, which the caller fills in. */
export function gatherSums(
  input: ObjectiveInput,
  ratios: Ratios,
  level: "token" | "sequence",
  surrogate: SurrogateArrays,
  keep_K: Uint8Array,
  klNats_K: Float64Array,
): ObjectiveSums {
  const sums = emptySums();
  const { mask_K, entropies_K, sequenceStart_Q } = input;
  const base = sequenceStart_Q[0]!;
  for (let q = 0; q < ratios.trained_Q.length; q++) {
    const trained = ratios.trained_Q[q]!;
    const end = sequenceStart_Q[q + 1]! - base;
    let low = 0;
    let high = 0;
    let outer = 0;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) {
      if (!mask_K[k]) continue;
      const state = surrogate.clipState_K[k]!;
      if (state === -1) low += 1;
      else if (state === 1) high += 1;
      else if (state === 2) outer += 1;
      if (!keep_K[k]) sums.dropped += 1;
      const logRatio = ratios.logRatio_K[k]!;
      const ratio = ratios.ratio_K[k]!;
      if (entropies_K) sums.entropy += entropies_K[k]!;
      sums.kl += klNats_K[k]!;
      sums.approxKl -= logRatio;
      sums.approxKl3 += k3.value(-logRatio);
      sums.logprobDifference += Math.abs(logRatio);
      sums.logprobDifferenceMax = Math.max(sums.logprobDifferenceMax, Math.abs(logRatio));
      sums.ratio += ratio;
      sums.ratioMin = Math.min(sums.ratioMin, ratio);
      sums.ratioMax = Math.max(sums.ratioMax, ratio);
    }
    sums.sequences += 1;
    sums.tokens += trained;
    sums.sequenceWeight += surrogate.sequenceWeight_Q[q]!;
    // A sequence of which nothing is trained has no share of clipped tokens, in the means as little as in the extremes.
    if (trained === 0) continue;
    // With one ratio per sequence, a sequence counts once, by the share of its tokens that are clipped.
    const tokens = level === "sequence" ? trained : 1;
    sums.ratios += trained / tokens;
    sums.clippedLow += low / tokens;
    sums.clippedHigh += high / tokens;
    sums.heldOuter += outer / tokens;
    sums.lowShareMin = Math.min(sums.lowShareMin, low / trained);
    sums.highShareMax = Math.max(sums.highShareMax, high / trained);
  }
  if (!entropies_K) sums.entropy = Number.NaN;
  return sums;
}
