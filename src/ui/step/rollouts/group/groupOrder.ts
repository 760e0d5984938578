// Finding and ordering prompts and completions. Indices always mean the original order, whatever is shown.

import type { RunConfig } from "../../../../protocol/config.ts";
import { measureText } from "../../../../protocol/quantities.ts";
import type { GroupRecord, GroupSummary } from "../../../../protocol/records.ts";
import { sampledTokens } from "../../group/groupShape.ts";

export type PromptOrder = "sampled" | "reward" | "spread";
export type TrajectoryOrder = "advantage" | "sampled" | "length";

function contains(text: string, search: string): boolean {
  return text.toLocaleLowerCase().includes(search.trim().toLocaleLowerCase());
}

/** Prompts whose text contains the search, best reward or widest spread first where asked. */
export function shownPrompts(summaries: readonly GroupSummary[], search: string, order: PromptOrder): readonly GroupSummary[] {
  const found = summaries.filter(({ prompt }) => contains(prompt, search));
  if (order === "reward") return found.sort((a, b) => b.meanReward - a.meanReward || a.promptIndex - b.promptIndex);
  if (order === "spread") return found.sort((a, b) => b.rewardStd - a.rewardStd || a.promptIndex - b.promptIndex);
  return found;
}

/** Prompts that are drawn at first: each is a row with a key of its own, and a step of a file may have thousands. */
export const FIRST_PROMPTS = 64;

/** The prompts to draw: the first ones, and the chosen one wherever it stands. */
export function drawnPrompts(shown: readonly GroupSummary[], selected: number): readonly GroupSummary[] {
  return shown.filter(({ promptIndex }, place) => place < FIRST_PROMPTS || promptIndex === selected);
}

/** Indices of a group's trajectories in the order shown; equal ones stay in sampled order. */
export function trajectoryOrder(group: GroupRecord, order: TrajectoryOrder): readonly number[] {
  const indices = group.trajectories.map((_, index) => index);
  const at = (index: number) => group.trajectories[index]!;
  // Those that nobody compared stand between those that are pushed up and those that are pushed down.
  const advantageAt = (index: number) => at(index).advantage ?? 0;
  if (order === "advantage") return indices.sort((a, b) => advantageAt(b) - advantageAt(a) || a - b);
  if (order === "length") return indices.sort((a, b) => sampledTokens(at(b)) - sampledTokens(at(a)) || a - b);
  return indices;
}

/** Settings that decide whether anything but the advantages moves a group's tokens. */
type OtherForces = Pick<RunConfig, "klCoef" | "klPlacement" | "entropyCoef">;

/** Why a group teaches nothing, in sentences with its numbers, or null where it does. */
export function zeroSpreadSentence(group: GroupRecord, config: OtherForces | null): string | null {
  if (!group.zeroSpread) return null;
  const rewards = group.trajectories.flatMap(({ reward }) => (reward === null ? [] : [reward]));
  if (rewards.length === 0)
    return config ? `No completion could be scored, so every advantage is 0 and this group teaches nothing. ${otherForces(config)}` : null;
  const all =
    rewards.length === group.trajectories.length
      ? `All ${rewards.length} rewards are`
      : `The ${rewards.length} rewards that could be scored are`;
  const least = Math.min(...rewards);
  const most = Math.max(...rewards);
  const equal =
    least === most
      ? `${all} equal (${measureText(least)})`
      : `${all} too close to tell apart (${measureText(least)} to ${measureText(most)})`;
  // Of another program nobody knows what else moves its tokens.
  if (!config) return `${equal}: compared with each other, none of these completions is better or worse.`;
  if (group.trajectories.some(({ advantage }) => advantage !== 0))
    return `${equal}, so the rewards favour none of these completions. Their advantages come from outside the group: other groups, a critic or a KL in the reward.`;
  return `${equal}, so every advantage is 0 and this group teaches nothing. ${otherForces(config)}`;
}

/** What still moves tokens whose advantage is 0. */
function otherForces({ klCoef, klPlacement, entropyCoef }: OtherForces): string {
  const forces = [
    ...(klCoef > 0 && klPlacement === "loss" ? ["the pull towards the reference (KL)"] : []),
    ...(entropyCoef !== 0 ? ["the entropy bonus"] : []),
  ];
  if (forces.length === 0) return "With KL and entropy off it changes no weights at all.";
  return `Its tokens still feel ${forces.join(" and ")}, which does not depend on rewards.`;
}
