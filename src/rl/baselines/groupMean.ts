// The mean of the group: Shao et al. 2024 (GRPO, arXiv 2402.03300).
import { baseline, centreOn, summaryOf } from "./baseline.ts";

export const groupMean = baseline({
  id: "group-mean",
  from: "group",
  centre: (rewards) => {
    const summary = summaryOf(rewards);
    return centreOn(rewards, summary.mean, summary);
  },
  tex: "\\bar r",
  words: { one: "the mean of its group", many: "the mean of their group" },
  trl: true,
  verl: "grpo",
});
