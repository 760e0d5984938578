// The policy gets better at earning reward and worse at what the reward stands for (Amodei et al. 2016, arXiv
// 1606.06565; Gao et al. 2022, arXiv 2210.10760). It shows where the reward rises while held-out accuracy, or a
// reward part that is only watched, falls; and at once where right answers earn less than wrong ones.

import { measureText, shareText } from "../../protocol/quantities.ts";
import { paysForAnswers } from "../../protocol/run/paidParts.ts";
import { meanOf } from "../advantage/statistics.ts";
import { statesAnswers } from "../tasks/prompts/promptLines.ts";
import { meanEstimate, scoreOf } from "../verdict/estimate.ts";
import { latest, valuesAt } from "../verdict/history.ts";
import { accuracyTrend, rewardTrend } from "../verdict/rewardTrend.ts";
import type { Diagnosis, Finding, RunEvidence } from "./diagnosis.ts";
import { changesOf } from "./recent.ts";

/** Standard deviations by which right answers earn less than wrong ones, in so many steps that have both. */
const SURELY = 3;
const FEWEST = 3;

/** Whether the reward is meant to pay for right answers: some part of it does, or its code looks at the expected one. */
function meansAnswers({ config, rewards }: RunEvidence): boolean {
  const isRead = Object.entries(config.customRewards ?? {}).some(
    ([name, { source }]) => (config.rewardWeights?.[name] ?? 1) !== 0 && /\banswer\b/.test(source),
  );
  return isRead || paysForAnswers(rewards);
}

/** What right answers earned more than wrong ones, in each step that had both; nothing where that is not recorded. */
function advantagesOfRight({ metric }: RunEvidence): readonly { readonly right: number; readonly wrong: number }[] {
  const { steps, values } = metric("reward/right_mean");
  const rewards = valuesAt(metric("reward"));
  const shares = valuesAt(metric("success_rate"));
  return Array.from(values).flatMap((right, i) => {
    const reward = rewards(steps[i]!);
    const share = shares(steps[i]!);
    return reward === undefined || share === undefined || share <= 0 || share >= 1
      ? []
      : [{ right, wrong: (reward - share * right) / (1 - share) }];
  });
}

interface Fall {
  readonly text: string;
  /** The part of the reward that fell, where it is one. */
  readonly part?: string;
}

/** What fell while the reward rose, in words. */
function whatFell(run: RunEvidence, isMeant: boolean): Fall | null {
  const { config, rewards } = run;
  const weights = { ...Object.fromEntries((rewards ?? []).map(({ name, weight }) => [name, weight])), ...config.rewardWeights };
  for (const [name, weight] of Object.entries(weights)) {
    // A reward that is about something else takes nothing from the task's own parts, only from what was put beside it to be watched.
    const isWatched =
      isMeant || [config.rewardRules, config.customRewards, config.judges].some((added) => added && Object.hasOwn(added, name));
    const fall = weight === 0 && isWatched ? changesOf(run, `rewards/${name}/mean`).fall : null;
    const title = rewards?.find((part) => part.name === name)?.title ?? name;
    if (fall)
      return {
        part: name,
        text: `“${title}”, which is measured but not rewarded, fell from ${measureText(fall.from.value)} to ${measureText(fall.to.value)}`,
      };
  }
  if (!isMeant) return null;
  const accuracy = accuracyTrend(run, "sampled").fall ?? accuracyTrend(run).fall;
  if (accuracy) return { text: `the accuracy fell from ${shareText(accuracy.from.value)} to ${shareText(accuracy.to.value)}` };
  const success = changesOf(run, "success_rate").fall;
  return success && { text: `the share of right answers fell from ${shareText(success.from.value)} to ${shareText(success.to.value)}` };
}

/** Whether what is earned now is more than right answers ever earned; where that is not known, whether groups still differ. */
function isBesideRight(run: RunEvidence): boolean {
  const earned = Array.from(run.metric("reward/right_mean").values);
  if (earned.length > 0) return meanOf(latest(run, "reward", Math.max(3, Math.floor(earned.length / 10)))) > meanOf(earned);
  // Where all answers of a group earn the same, the policy has settled on some answer, right or not.
  return !(meanOf(latest(run, "frac_reward_zero_std")) > 0.5);
}

/** The weights under which what was meant is paid: parts that pay for right answers count for them, and the one that fell counts at all. */
function mendedWeights({ config, rewards }: RunEvidence, part: string | undefined): Finding["remedy"] {
  const against = (rewards ?? []).filter(({ weight, paysAnswers }) => weight < 0 && paysAnswers);
  const mended = Object.fromEntries(against.map(({ name, weight }) => [name, -weight]));
  const settings = part === undefined || part in mended ? mended : { ...mended, [part]: 1 };
  return Object.keys(settings).length === 0 ? null : { settings: { rewardWeights: { ...config.rewardWeights, ...settings } } };
}

export const rewardHacking: Diagnosis = {
  id: "reward-hacking",
  title: "Reward hacking",
  explains:
    "The policy does what is rewarded, but that is not the real goal. The reward goes up while the real goal goes down. In the end all answers earn the maximum, and the run looks finished.",
  hidesInProgress: true,
  leadsTo: ["never-right", "near-misses", "tied-groups", "nothing-earned", "entropy-collapse", "kl-runaway", "learning-rate-too-high"],
  knowsUnpaid: true,
  needs: { metrics: ["reward", "success_rate"] },
  find(run) {
    const isMeant = meansAnswers(run);
    const trend = rewardTrend(run);
    const rise = changesOf(run, "reward", trend).rise;
    // Prompts that somebody wrote down with their right answers mean these, whatever is paid.
    const fell = rise && !trend.fall ? whatFell(run, isMeant || statesAnswers(run.config)) : null;
    const pairs = isMeant ? advantagesOfRight(run) : [];
    const isAgainst = pairs.length >= FEWEST && scoreOf(meanEstimate(pairs.map(({ right, wrong }) => right - wrong))) < -SURELY;
    if (!isAgainst && !(fell && isBesideRight(run))) return null;
    const right = meanOf(pairs.map((pair) => pair.right));
    const wrong = meanOf(pairs.map((pair) => pair.wrong));
    const against = isAgainst ? `Right answers earned ${measureText(right)} on average, wrong ones ${measureText(wrong)}. ` : "";
    const risen =
      rise && fell
        ? `The reward rose from ${measureText(rise.from.value)} to ${measureText(rise.to.value)} by step ${rise.to.last}, while ${fell.text}.`
        : "The policy is paid for being wrong.";
    return {
      isCause: true,
      remedy: mendedWeights(run, fell?.part),
      evidence: `${against}${risen}`,
      tries: [
        ...(isAgainst ? ["Weights under which a right answer earns more than any wrong one."] : []),
        "Read the best rewarded rollouts: what do they do to earn it?",
        "A weight for the real goal, or a penalty for the shortcut.",
        "A KL weight that holds the policy near a start that did not know the shortcut.",
      ],
    };
  },
};
