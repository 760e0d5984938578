// The policy moves ever further from its reference and gains nothing by it (Stiennon et al. 2020, arXiv
// 2009.01325, figure 5: past some KL more of it makes answers worse).
import { measureText, roundedSetting } from "../../protocol/quantities.ts";
import { medianOf } from "../advantage/statistics.ts";
import { accuracyTrend, rewardTrend } from "../verdict/rewardTrend.ts";
import type { Diagnosis } from "./diagnosis.ts";

const FEWEST = 40;
const FAR_NATS = 0.5;
const GROWTH = 1.5;
/** KL weights below this hold next to nothing. */
const HOLDS = 0.01;

export const klRunaway: Diagnosis = {
  id: "kl-runaway",
  title: "KL runaway",
  explains:
    "KL measures how far the policy has moved from its frozen reference. Distance is fine while it brings reward. Here the distance grows and the reward does not: the policy loses what the reference knew and gains nothing.",
  needs: { metrics: ["kl"], settings: ["klCoef"], steps: FEWEST },
  find(history) {
    const { steps, values } = history.metric("kl");
    const kls = Array.from(values);
    if (kls.length < FEWEST) return null;
    const quarter = Math.floor(kls.length / 4);
    const before = medianOf(kls.slice(quarter, 2 * quarter));
    const now = medianOf(kls.slice(-quarter));
    if (now < FAR_NATS || now < GROWTH * before) return null;
    const trend = history.evaluations.length > 1 ? accuracyTrend(history) : rewardTrend(history);
    if (trend.rise !== null && trend.fall === null) return null;
    const { klCoef } = history.config;
    if (klCoef === undefined) return null;
    const higher = roundedSetting(Math.max(HOLDS, 3 * klCoef));
    return {
      isCause: klCoef < HOLDS,
      remedy: { settings: { klCoef: Math.min(10, higher) } },
      evidence: `The KL to the reference grew from ${measureText(before)} nats a token (median of steps ${steps[quarter]} to ${steps[2 * quarter - 1]}) to ${measureText(now)} (median of the last ${quarter} steps), under a weight of ${klCoef}, with no lasting gain in ${history.evaluations.length > 1 ? "accuracy" : "reward"}.`,
      tries: [
        `A KL weight of ${higher} or more, or a KL target that adapts it.`,
        "A lower learning rate, or fewer inner epochs.",
        "Read a few rollouts to see what the reward really pays for.",
      ],
    };
  },
};
