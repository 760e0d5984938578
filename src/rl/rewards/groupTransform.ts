// A custom function over all parts' values of a group, which gives each conversation its reward: to normalise within the
// group, to gate one part by another, to weigh parts by what the group already does. It is of training alone, and comes
// after sum, gates and clip. What could not be scored stays so, whatever the function says; what it adds is recorded as
// a part, so that the parts still sum up.
import type { RewardTransformCode } from "../../protocol/config/customRewards.ts";
import { hash32 } from "../data/problems.ts";
import { isFailure, reasonOf } from "../envs/stepEnvs.ts";
import type { Sandbox } from "../sandbox/jobs.ts";
import type { PartVerdict, Reward, TrajectoryGroup } from "../types.ts";
import { judgedOf } from "./rewardRule.ts";

/** The name under which what a transform adds is recorded. */
const PART = "rewardTransform";

/** A conversation of a group as a transform sees it. */
export interface JudgedMember {
  readonly text: string;
  readonly stopReason: string;
  /** By name, unweighted; null where a part could not judge. */
  readonly parts: Readonly<Record<string, number | null>>;
  /** The reward so far; null where nothing could judge. */
  readonly total: number | null;
}

/** A problem with all its conversations, scored. */
export interface JudgedGroup {
  readonly question: string;
  readonly answer: string;
  readonly members: readonly JudgedMember[];
}

/** Rewards of a group's conversations, in order; null where there is to be none. */
export type GroupTransform = (group: JudgedGroup) => readonly (number | null)[];

/** Asks for the rewards of groups, wherever the function runs. */
export type TransformGroups = (groups: readonly JudgedGroup[]) => Promise<readonly (readonly PartVerdict[])[]>;

/** A function that runs here, such as one of a program that uses the library. */
export function transformHere(transform: GroupTransform): TransformGroups {
  return async (groups) =>
    groups.map((group) => {
      try {
        const totals = transform(group);
        if (totals.length === group.members.length) return totals;
        throw new Error(`must give ${group.members.length} rewards, got ${totals.length}`);
      } catch (error) {
        const reason = reasonOf(error);
        return group.members.map(() => ({ reason }));
      }
    });
}

/** Code of a configuration: asked in the sandbox for each conversation, with its group. @param seed the run's. */
export function transformInSandbox(code: RewardTransformCode, seed: number, sandbox: Sandbox | undefined): TransformGroups {
  const { source, options, workMs } = code;
  return async (groups) => {
    if (!sandbox) return groups.map(({ members }) => members.map(() => ({ reason: "there is no sandbox here to run it in" })));
    const inputs = groups.flatMap((group) =>
      group.members.map((_, member) => {
        const value = JSON.stringify({ ...group, member });
        return { value, seed: hash32(`${seed}/${value}`) };
      }),
    );
    const answers = await sandbox.run({ job: { source, entry: "transform", options, workMs }, inputs });
    let next = 0;
    return groups.map(({ members }) => members.map(() => answers[next++] ?? null));
  };
}

/** What a transform is shown of a group. */
function judgedGroup({ example, trajectories }: TrajectoryGroup, rewards_G: readonly Reward[]): JudgedGroup {
  const members = trajectories.map((trajectory, g): JudgedMember => {
    const { text, stopReason } = judgedOf(example, trajectory);
    const { parts, total } = rewards_G[g]!;
    return { text, stopReason, parts: Object.fromEntries(parts.map(({ name, value }) => [name, value])), total };
  });
  const [first] = trajectories;
  return { question: first ? judgedOf(example, first).question : "", answer: example.answer, members };
}

/** A reward with another total. */
function withTotal(reward: Reward, verdict: PartVerdict): Reward {
  if (reward.total === null) return reward;
  const { turns: _, ...rest } = reward;
  const refused = (reason: string): Reward => ({
    ...rest,
    total: null,
    parts: [...reward.parts, { name: PART, value: null, reason, weight: 1 }],
  });
  if (isFailure(verdict)) return refused(verdict.reason);
  if (verdict === null) return { ...rest, total: null };
  if (!Number.isFinite(verdict)) return refused(`must be a finite number, got ${String(verdict)}`);
  if (verdict === reward.total) return reward;
  return { ...rest, total: verdict, parts: [...reward.parts, { name: PART, value: verdict - reward.total, weight: 1 }] };
}

/** The rewards of groups under a transform. */
export async function transformRewards(
  groups: readonly TrajectoryGroup[],
  rewards_P_G: readonly (readonly Reward[])[],
  transform: TransformGroups,
): Promise<readonly (readonly Reward[])[]> {
  const totals_P_G = await transform(groups.map((group, p) => judgedGroup(group, rewards_P_G[p]!)));
  return rewards_P_G.map((rewards_G, p) => rewards_G.map((reward, g) => withTotal(reward, totals_P_G[p]![g]!)));
}
