// The mean over the whole batch: REINFORCE with baseline (Williams 1992).
import { baseline, summaryOf } from "./baseline.ts";

export const batchMean = baseline({
  id: "batch-mean",
  from: "batch",
  centre: (rewards) => {
    const { mean } = summaryOf(rewards);
    return rewards.map((reward) => reward - mean);
  },
  tex: "\\bar r_{\\text{step}}",
  words: { one: "the mean of the whole step", many: "the mean of the whole step" },
});
