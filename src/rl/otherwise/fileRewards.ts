// Other rewards for rollouts that another program wrote: the parts in its files as they stand, beside rules that can be asked of what
// the files hold. Where a verdict needs more than that (a right answer, why a conversation ended, what its environment knew), it is
// refused with the reason.
import type { RunConfig } from "../../protocol/config.ts";
import { InputError, type Problem } from "../../protocol/problems.ts";
import type { GroupRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { summarize } from "../advantage/statistics.ts";
import { rewardRules } from "../rewards/library/index.ts";
import type { LibraryRule } from "../rewards/library/libraryRule.ts";
import type { RewardPart, Trajectory } from "../types.ts";
import { type AdvantageRule, exactly, type Rounding } from "./advantageRules.ts";

/** What the one part is called where the files have a total reward alone. */
const TOTAL = "reward";

interface FiledPart {
  readonly name: string;
  /** Null where the files do not say it. */
  readonly weight: number | null;
}

/** Names of the parts of a step's rewards with their weights, in the order in which they first appear. */
export function partsOfStep(groups: readonly GroupRecord[]): readonly FiledPart[] {
  const weights = new Map<string, number | null>();
  for (const { rewardParts } of groups.flatMap(({ trajectories }) => trajectories))
    for (const { name, weight } of rewardParts) if (!weights.has(name)) weights.set(name, weight);
  return [...weights].map(([name, weight]) => ({ name, weight }));
}

/** The same, and where there are none the total, which is a part then. */
export function filedParts(groups: readonly GroupRecord[]): readonly FiledPart[] {
  const parts = partsOfStep(groups);
  const hasTotal = groups.some(({ trajectories }) => trajectories.some(({ reward }) => reward !== null));
  return parts.length === 0 && hasTotal ? [{ name: TOTAL, weight: 1 }] : parts;
}

function filedValue({ rewardParts, reward }: TrajectoryRecord, name: string): number | null {
  return rewardParts.length === 0 && name === TOTAL ? reward : (rewardParts.find((part) => part.name === name)?.value ?? null);
}

const LACKS: Readonly<
  Record<NonNullable<LibraryRule["needs"]>[number], { isThere(groups: readonly GroupRecord[]): boolean; readonly why: string }>
> = {
  answer: {
    isThere: (groups) => groups.some(({ answer }) => answer !== ""),
    why: "it compares with the right answer, and no column of the files was taken for one",
  },
  stop: {
    isThere: (groups) => groups.every(({ trajectories }) => trajectories.every(({ stopReason }) => stopReason !== null)),
    why: "it asks why an answer ended, which the files do not say",
  },
  environment: {
    isThere: (groups) => groups.every(({ trajectories }) => trajectories.every(({ report }) => report !== undefined)),
    why: "it asks what the environment knew (calls, prices, rewards of turns), which is in no file",
  },
};

/** Why a rule cannot judge these rollouts, as the end of a sentence; null where it can. */
export function lackOf({ needs = [] }: Pick<LibraryRule, "needs">, groups: readonly GroupRecord[]): string | null {
  const lacking = needs.find((need) => !LACKS[need].isThere(groups));
  return lacking ? LACKS[lacking].why : null;
}

/** Refuses rewards that cannot be asked of these rollouts. Throws InputError. */
export function checkFileRewards(groups: readonly GroupRecord[], config: Pick<RunConfig, "rewardRules" | "judges">): void {
  const refused = rewardRules.flatMap((rule): readonly Problem[] => {
    const lack = config.rewardRules[rule.name] ? lackOf(rule, groups) : null;
    return lack === null
      ? []
      : [{ field: `rewardRules.${rule.name}`, message: `rewardRules.${rule.name} cannot judge these rollouts: ${lack}` }];
  });
  const startless = Object.entries(config.judges).flatMap(([name, { checkpoint }]): readonly Problem[] =>
    checkpoint
      ? []
      : [
          {
            field: `judges.${name}.checkpoint`,
            message: `judges.${name}.checkpoint must name a model: these rollouts were made elsewhere, and no start is here to judge`,
          },
        ],
  );
  if (refused.length + startless.length > 0) throw new InputError([...refused, ...startless]);
}

/**
 * The parts in the files as parts of a reward, but for those of which another has the name.
 * @param recordOf what was recorded of a trajectory
 */
export function partsInFiles(
  groups: readonly GroupRecord[],
  others: readonly string[],
  recordOf: (trajectory: Trajectory) => TrajectoryRecord,
): readonly RewardPart[] {
  return filedParts(groups)
    .filter(({ name }) => !others.includes(name))
    .map(({ name, weight }) => ({
      name,
      title: name,
      help: "As the files have it.",
      weight: weight ?? 1,
      score: (_, trajectory) => filedValue(recordOf(trajectory), name),
    }));
}

/** A step's advantages by the rule of a program, from its rewards; what has no reward has none, and counts in no statistic. */
export function advantagesBy(
  rule: AdvantageRule,
  rewards_P_G: readonly (readonly (number | null)[])[],
  round: Rounding = exactly,
): readonly (readonly (number | null)[])[] {
  const scored = rewards_P_G.map((rewards_G) => rewards_G.filter((reward) => reward !== null));
  const whole = scored.filter((rewards_G) => rewards_G.length > 0);
  const made = rule.advantages(whole, round);
  let next = 0;
  return rewards_P_G.map((rewards_G, p) => {
    const own = scored[p]!.length > 0 ? made[next++]! : [];
    let at = 0;
    return rewards_G.map((reward) => (reward === null ? null : own[at++]!));
  });
}

/** A step with its advantages by a rule. @param isKept whether those that were recorded stay */
export function withAdvantages(groups: readonly GroupRecord[], rule: AdvantageRule, isKept: boolean): readonly GroupRecord[] {
  const advantages_P_G = advantagesBy(
    rule,
    groups.map(({ trajectories }) => trajectories.map(({ reward }) => reward)),
  );
  return groups.map((group, p) => ({
    ...group,
    zeroSpread: hasNoSpread(group),
    trajectories: group.trajectories.map((each, g) =>
      isKept && each.advantage !== null ? each : { ...each, advantage: advantages_P_G[p]![g]! },
    ),
  }));
}

const hasNoSpread = ({ trajectories }: GroupRecord): boolean => {
  const { count, equal } = summarize(
    trajectories.map(({ reward }) => reward ?? Number.NaN),
    "sample",
  );
  return count > 0 && equal;
};
