// A group of G answers of which a share p is right is all right or all wrong with probability p^G + (1 - p)^G, and teaches nothing
// then (Yu et al. 2025, DAPO, arXiv 2503.14476, section 3.2). Where rare answers are right and groups are small, that is most of them.
import { measureText, shareText } from "../../protocol/quantities.ts";
import { paysForAnswers } from "../../protocol/run/paidParts.ts";
import { meanOf, noSpreadChance } from "../advantage/statistics.ts";
import { latest, stepsAtTop } from "../verdict/history.ts";
import { type Diagnosis, KNOWN_SHARE, type RunEvidence, SIZES } from "./diagnosis.ts";
import { partialReward } from "./nearMisses.ts";
import { ofGroups, recentOf } from "./recent.ts";

/**
 * Share of tied groups from which little is left to learn from, surely: where the pass rate says the same, and
 * otherwise; how far it may lie from that of all right and all wrong ones where right is all that pays.
 */
const TIED = 0.55;
const TIED_OTHERWISE = 0.65;
const SAME = 0.02;
/** Steps of nothing but ties from which no rare difference is waited for. */
const PATIENCE = 12;
/** Share of groups that differ which is enough. */
const HALF = 0.5;
/** No larger group is proposed, nor one more than so many times as large. */
export const LARGEST_GROUP = 128;
const AT_ONCE = 8;

/** Rounding of a variance. */
const SLACK = 1e-6;

/**
 * The share of answers that earn 1 where all others earn 0, whatever it is paid for; NaN where rewards have other values. Rewards
 * of 0 and 1 are the only ones within these bounds whose variance is m (1 - m).
 */
function shareOfOnes(run: RunEvidence, answers: number): number {
  const means = latest(run, "reward");
  const stds = latest(run, "reward_std");
  const isOnes = means.every((mean, i) => Math.abs(stds[i]! ** 2 * ((answers - 1) / answers) - mean * (1 - mean)) < SLACK);
  return stds.length === means.length && isOnes ? meanOf(means) : Number.NaN;
}

/** The share of groups that hold right and wrong answers. */
const mixed = (p: number, size: number): number => 1 - noSpreadChance(p, size);

/** The smallest of two, four and eight times the size at which half the groups are mixed, as large as may be. */
function enough(size: number, mixedAt: (size: number) => number): number {
  let larger = 2 * size;
  while (larger < AT_ONCE * size && mixedAt(larger) < HALF) larger *= 2;
  return Math.min(LARGEST_GROUP, larger);
}

export const tiedGroups: Diagnosis = {
  id: "tied-groups",
  title: "Most groups are tied",
  explains:
    "An answer is compared with the others of its group. In a group whose answers all earn the same there is nothing to compare, and its advantages are 0. How often that happens depends on how often an answer is right and on the size of the group: rare successes need large groups.",
  needs: { metrics: ["reward", "frac_reward_zero_std"], settings: SIZES },
  find(run) {
    const recent = recentOf(run);
    const { groupSize: size } = run.config;
    if (!recent || size === undefined) return null;
    const tied = recent.mean("frac_reward_zero_std");
    const ones = shareOfOnes(run, recent.answers / recent.steps);
    const p = Number.isFinite(ones) ? ones : recent.mean("success_rate");
    const [surely] = ofGroups(tied, recent);
    if (surely <= TIED || p > KNOWN_SHARE || partialReward(run) !== null) return null;
    // All tied at 0 is another cause, all tied at the top is none, and a larger group of equal answers is no help.
    const isAll = tied > 0.999;
    const earned = recent.mean("reward");
    if (isAll && (recent.steps < PATIENCE || Math.abs(earned) < 1e-6 || stepsAtTop(run) !== null)) return null;
    const agreed = recent.mean("groups/all_right") + recent.mean("groups/all_wrong");
    const isBinary = p > 0 && (Number.isFinite(ones) || Math.abs(agreed - tied) < SAME);
    // Where problems are so different that each is always or never solved, a larger group is tied as well.
    if (isBinary ? mixed(p, size) >= HALF : surely <= TIED_OTHERWISE) return null;
    const mixedAt = isBinary ? (n: number) => mixed(p, n) : (n: number) => 1 - tied ** (n / size);
    const larger = size < LARGEST_GROUP && !isAll ? enough(size, mixedAt) : null;
    const expected = isAll
      ? "All answers earn the same, so nothing is learnt."
      : isBinary
        ? `With ${shareText(p)} of the answers ${paysForAnswers(run.rewards) ? "right" : "paid"}, ${shareText(mixed(p, size))} of groups of ${size} can be expected to differ, and ${shareText(mixed(p, 2 * size))} of groups of ${2 * size}.`
        : `Of groups of ${2 * size} up to ${shareText(mixedAt(2 * size))} would differ, if all problems are alike.`;
    return {
      remedy: larger === null ? null : { settings: { groupSize: larger } },
      evidence: `${recent.when} ${shareText(tied)} of the groups of ${size} had equal rewards, ${measureText(earned)} on average. ${expected}`,
      tries: [
        ...(larger === null ? [] : [`Groups of ${larger}, with fewer prompts where a step would take too long.`]),
        ...(run.config.dynamicSampling === false ? ["Dynamic sampling, which replaces tied groups by others."] : []),
        "Problems of which about half the answers are right: there groups differ most.",
        "A reward that tells more answers apart, such as one that gives something for being near.",
      ],
    };
  },
};
