// The policy gets better at earning reward and worse at what the reward stands for (Amodei et al. 2016, arXiv
// 1606.06565; Gao et al. 2022, arXiv 2210.10760). It shows where the reward rises while held-out accuracy, or a
// reward part of weight 0 that is only measured, falls.

import { measureText, shareText } from "../../protocol/quantities.ts";
import { paysForAnswers } from "../../protocol/run/paidParts.ts";
import { meanOf } from "../advantage/statistics.ts";
import { latest, type RunHistory } from "../verdict/history.ts";
import { accuracyTrend, type Change, metricTrend, rewardTrend } from "../verdict/rewardTrend.ts";
import type { Diagnosis } from "./diagnosis.ts";

/** What fell while the reward rose: its name in words, and the change. */
function whatFell(history: RunHistory): { readonly text: string } | null {
  const { config, rewards } = history;
  const isPaidForAnswers = paysForAnswers(rewards);
  const usual = Object.fromEntries((rewards ?? []).map(({ name, weight }) => [name, weight]));
  for (const [name, weight] of Object.entries({ ...usual, ...config.rewardWeights })) {
    // A reward that is about something else takes nothing from the task's own parts, only from what was put beside it to be watched.
    const isWatched =
      isPaidForAnswers || [config.rewardRules, config.customRewards, config.judges].some((added) => Object.hasOwn(added, name));
    const fall: Change | null = weight === 0 && isWatched ? metricTrend(history, `rewards/${name}/mean`).fall : null;
    if (fall)
      return {
        text: `“${name}”, which is measured but not rewarded, fell from ${measureText(fall.from.value)} to ${measureText(fall.to.value)}`,
      };
  }
  if (!isPaidForAnswers) return null;
  // Where all answers of a group earn the same, the policy has settled on some answer, right or not.
  if (meanOf(latest(history, "frac_reward_zero_std")) > 0.5) return null;
  const accuracy = accuracyTrend(history).fall;
  if (accuracy) return { text: `the accuracy fell from ${shareText(accuracy.from.value)} to ${shareText(accuracy.to.value)}` };
  const success = metricTrend(history, "success_rate").fall;
  if (success) return { text: `the share of right answers fell from ${shareText(success.from.value)} to ${shareText(success.to.value)}` };
  return null;
}

export const rewardHacking: Diagnosis = {
  id: "reward-hacking",
  title: "Reward hacking",
  explains: "The policy does what is rewarded, which is not what was meant. The reward goes up while what it stands for goes down.",
  hidesInProgress: true,
  find(history) {
    const { rise, fall } = rewardTrend(history);
    const fell = rise && !fall ? whatFell(history) : null;
    if (!rise || !fell) return null;
    return {
      isCause: true,
      remedy: null,
      evidence: `The reward rose from ${measureText(rise.from.value)} to ${measureText(rise.to.value)} by step ${rise.to.last}, while ${fell.text}.`,
      tries: [
        "Reading the best rewarded rollouts: what do they do to earn it?",
        "A weight for what is meant, or a penalty for the shortcut.",
        "A KL weight that holds the policy near a start that did not know the shortcut.",
      ],
    };
  },
};
