// A reward for being near lets a policy settle beside the target: all answers miss by as much, earn the same,
// and nothing pulls any further.
import { measureText, shareText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import { rewardTrend } from "../verdict/rewardTrend.ts";
import { type Diagnosis, type RunEvidence, thirdOfRate } from "./diagnosis.ts";

const FLAT_SHARE = 0.6;
const SUCCESS_SHARE = 0.2;

/** The mean reward of the last steps and that of a random policy, where the former has risen above the latter; null elsewhere. */
export function partialReward(history: RunEvidence): { readonly now: number; readonly random: number } | null {
  const now = meanOf(latest(history, "reward"));
  const random = history.baselines.find(({ kind }) => kind === "random")?.meanReward ?? Number.NaN;
  return now > random && rewardTrend(history).rise !== null ? { now, random } : null;
}

export const nearMisses: Diagnosis = {
  id: "near-misses",
  title: "Ties of near misses",
  explains:
    "The reward pays for being near, and all answers of a group are equally near: they tie, so every advantage is 0. The policy has settled near the target, and could find the last step to it only by chance.",
  needs: { metrics: ["reward", "frac_reward_zero_std", "success_rate"], baselines: true, steps: RECENT_STEPS },
  find(history) {
    const flat = latest(history, "frac_reward_zero_std");
    const success = latest(history, "success_rate");
    if (flat.length < RECENT_STEPS || meanOf(flat) < FLAT_SHARE || !(meanOf(success) <= SUCCESS_SHARE)) return null;
    const partial = partialReward(history);
    if (!partial) return null;
    return {
      remedy: thirdOfRate(history.config),
      evidence: `In the last ${RECENT_STEPS} steps ${shareText(meanOf(flat))} of the groups had equal rewards of ${measureText(partial.now)} on average, where a random policy gets ${measureText(partial.random)}, and ${shareText(meanOf(success))} of the answers were right.`,
      tries: [
        "A third of the learning rate, so that the answers stay different until the right ones have been found.",
        history.config.backend === "tinker"
          ? "A KL weight, which holds the policy near its start."
          : "A KL weight or an entropy bonus, which pays for exploring.",
        "A reward that is sharper near the target: a smaller scale, or more weight on being right.",
        "More completions in a group.",
      ],
    };
  },
};
