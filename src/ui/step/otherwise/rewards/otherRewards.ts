// Other rewards for rollouts that are kept: what is weighed and how, edited apart from the form, and what the
// answer of the engine says in short.
import type { RunConfig } from "../../../../protocol/config.ts";
import type { StepGroups } from "../../../../protocol/messages.ts";
import type { GroupRecord } from "../../../../protocol/records.ts";
import { meanOf } from "../../../../rl/advantage/statistics.ts";

export type OtherRewards = Pick<RunConfig, "rewardWeights" | "rewardRules"> & Partial<Pick<RunConfig, "customRewards" | "judges">>;

/** A part that can be weighed; the task's own and the library's alike. */
export interface WeighedPart {
  readonly name: string;
  readonly title: string;
  readonly help: string;
  readonly weight: number;
  /** Whether it was added to the task's own and can be taken out. */
  readonly isAdded: boolean;
}

export type Listed = Omit<WeighedPart, "isAdded">;

/** Every part with the weight it has now: the task's own, then the added ones in the library's order. */
export function weighedParts(
  own: readonly Listed[],
  library: readonly Listed[],
  { rewardWeights, rewardRules, customRewards = {}, judges = {} }: OtherRewards,
): readonly WeighedPart[] {
  const added = { ...rewardRules, ...customRewards, ...judges };
  const weighed = ({ name, title, help, weight }: Listed, isAdded: boolean): WeighedPart => ({
    name,
    title,
    help,
    isAdded,
    weight: rewardWeights[name] ?? weight,
  });
  return [
    // An added part of the same name is scored in the place of what files have.
    ...own.filter(({ name }) => !(name in added)).map((part) => weighed(part, false)),
    ...library.filter(({ name }) => name in added).map((part) => weighed(part, true)),
  ];
}

export function withWeight(rewards: OtherRewards, name: string, weight: number): OtherRewards {
  return { ...rewards, rewardWeights: { ...rewards.rewardWeights, [name]: weight } };
}

/** With a part of the library, new or in the place of its old settings. */
export function withPart(rewards: OtherRewards, name: string, settings: OtherRewards["rewardRules"][string]): OtherRewards {
  return { ...rewards, rewardRules: { ...rewards.rewardRules, [name]: settings } };
}

/** With code or a judge. */
export function withBrought(rewards: OtherRewards, adds: Pick<OtherRewards, "customRewards" | "judges">): OtherRewards {
  return {
    ...rewards,
    customRewards: { ...rewards.customRewards, ...adds.customRewards },
    judges: { ...rewards.judges, ...adds.judges },
  };
}

/** Without an added part, and without its weight, which would name nothing. */
export function withoutPart(rewards: OtherRewards, name: string): OtherRewards {
  const kept = <T>(record: Readonly<Record<string, T>>) => Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));
  const { customRewards, judges } = rewards;
  return {
    rewardWeights: kept(rewards.rewardWeights),
    rewardRules: kept(rewards.rewardRules),
    ...(customRewards ? { customRewards: kept(customRewards) } : {}),
    ...(judges ? { judges: kept(judges) } : {}),
  };
}

/** A step's rollouts under its own rewards and under others. */
export interface RewardDifference {
  /** Mean over what was scored; NaN where nothing was. */
  readonly meanBefore: number;
  readonly meanAfter: number;
  readonly completions: number;
  /** Completions that would be pushed the other way, or not at all, or at last. */
  readonly turned: number;
  /** Of these, completions that were pushed up and would be pushed down, or the other way round. */
  readonly reversed: number;
  readonly groups: number;
  /** Groups whose best completion would be another one. */
  readonly otherBest: number;
  /** Groups without any spread, from which nothing is learnt. */
  readonly silentBefore: number;
  readonly silentAfter: number;
}

const rewardsOf = (groups: readonly GroupRecord[]): readonly number[] =>
  groups.flatMap(({ trajectories }) => trajectories.flatMap(({ reward }) => reward ?? []));

/** Those of a group with its highest reward; none where nothing was scored. */
function bestOf({ trajectories }: GroupRecord): readonly number[] {
  const most = Math.max(...trajectories.map(({ reward }) => reward ?? Number.NEGATIVE_INFINITY));
  return trajectories.flatMap(({ reward }, index) => (reward !== null && reward === most ? [index] : []));
}

/** What parts gave no verdict on, by part and reason: the total of such a completion is that of its other parts. */
export function withoutVerdict(groups: readonly GroupRecord[]) {
  const found = new Map<string, { readonly name: string; readonly reason: string; count: number }>();
  for (const { rewardParts } of groups.flatMap(({ trajectories }) => trajectories))
    for (const { name, value, reason } of rewardParts) {
      if (value !== null || reason === undefined) continue;
      const known = found.get(`${name}: ${reason}`) ?? { name, reason, count: 0 };
      found.set(`${name}: ${reason}`, known);
      known.count += 1;
    }
  return [...found.values()];
}

/** Advantages nearer to 0 than this push nothing. */
const NOTHING = 1e-9;
const direction = (advantage: number): number => (Math.abs(advantage) < NOTHING ? 0 : Math.sign(advantage));

/** Whether a completion would be pushed another way. */
export const isTurned = (before: number, after: number): boolean => direction(before) !== direction(after);
const isReversed = (before: number, after: number): boolean => direction(before) * direction(after) < 0;

/** What changes. Both hold the same rollouts, in the same order. */
export function rewardDifference(
  { groups: before }: Pick<StepGroups, "groups">,
  { groups: after }: Pick<StepGroups, "groups">,
): RewardDifference {
  const pairs = before.map((group, p) => ({ group, other: after[p]! }));
  const members = pairs.flatMap(({ group, other }) =>
    group.trajectories.map(({ advantage }, g) => [advantage ?? 0, other.trajectories[g]!.advantage ?? 0] as const),
  );
  return {
    meanBefore: meanOf(rewardsOf(before)),
    meanAfter: meanOf(rewardsOf(after)),
    completions: members.length,
    turned: members.filter(([from, to]) => isTurned(from, to)).length,
    reversed: members.filter(([from, to]) => isReversed(from, to)).length,
    groups: pairs.length,
    otherBest: pairs.filter(({ group, other }) => bestOf(group).join() !== bestOf(other).join()).length,
    silentBefore: before.filter(({ zeroSpread }) => zeroSpread).length,
    silentAfter: after.filter(({ zeroSpread }) => zeroSpread).length,
  };
}
