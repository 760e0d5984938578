// The reward does not rise, and nothing in the log says why: what it would have to say is told, with what helps most often.
import { counted, measureText, roundedSetting, settingNumber } from "../../../protocol/quantities.ts";
import { metricTrend } from "../../verdict/rewardTrend.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

/** Steps from which a reward that stands still is worth a word. */
const FEWEST = 8;

export const rewardFlat: Signature = {
  id: "reward-flat",
  title: "The reward does not rise",
  kind: "fault",
  lesson: "few-numbers",
  explains:
    "Rewards of a step are a mean over a few answers, and noise of that size hides a slow rise for a long time. A small learning rate, few answers and few steps look the same as a run that learns nothing.",
  tries: [
    "More steps before judging, and the mean of 20 of them.",
    "The share of tied groups (frac_reward_zero_std), the entropy and the share of answers that are cut off: with them a cause could be named.",
    "A higher learning rate where the KL hardly moves, a lower one where it jumps.",
    "More answers to each prompt.",
  ],
  find(run) {
    const rewards = valuesOf(run, "reward");
    const trend = metricTrend(run, "reward");
    if (rewards.length < FEWEST || trend.rise !== null) return null;
    const ends = thirds(rewards);
    const rate = run.config.learningRate;
    const kl = valuesOf(run, "kl").at(-1);
    return `The reward of ${counted(rewards.length, "step")} went from ${measureText(ends!.first)} to ${measureText(ends!.last)} (means of the first and the last third), between ${measureText(Math.min(...rewards))} and ${measureText(Math.max(...rewards))}: no rise beyond chance${rate ? `, at a learning rate up to ${settingNumber(roundedSetting(rate))}` : ""}${kl === undefined ? "" : `; the KL is ${measureText(kl)} at last`}.`;
  },
};
