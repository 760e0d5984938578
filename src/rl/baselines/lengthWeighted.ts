// The mean of the group weighted by length, Σ len·r / Σ len: Hao et al. 2025 (OPO, arXiv 2505.23585).
import { baseline, centreOn, summaryOf } from "./baseline.ts";

export const lengthWeighted = baseline({
  id: "length-weighted",
  title: "Group mean, by length",
  from: "group",
  centre: (rewards, lengths) => centreOn(rewards, weightedMean(rewards, lengths), summaryOf(rewards)),
  tex: "\\bar r_{|o|}",
  words: { one: "the mean of its group, weighted by length", many: "the mean of their group, weighted by length" },
});

function weightedMean(rewards: readonly number[], lengths: readonly number[]): number {
  let weight = 0;
  let sum = 0;
  for (const [i, reward] of rewards.entries()) {
    if (Number.isNaN(reward)) continue;
    weight += lengths[i]!;
    sum += lengths[i]! * reward;
  }
  return weight > 0 ? sum / weight : 0;
}
