// The mean of the other completions of the group: Ahmadian et al. 2024 (RLOO, arXiv 2402.14740).
import { baseline, centreOn, summaryOf } from "./baseline.ts";

export const leaveOneOut = baseline({
  id: "leave-one-out",
  from: "group",
  centre: (rewards) => {
    const summary = summaryOf(rewards);
    const { count, mean } = summary;
    // r - mean of the others = n/(n-1)·(r - mean of all).
    return centreOn(rewards, mean, summary, count > 1 ? count / (count - 1) : 1);
  },
  tex: "\\bar r_{\\neq i}",
  words: { one: "the mean of the others in its group", many: "the mean of the others in their group" },
});
