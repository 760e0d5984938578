// A group under rewards that somebody gave by hand: advantages and pushes by the trainer's functions, at the
// update's first inner epoch, where the policy is still the one that sampled.
import type { StepGroups } from "../../../../protocol/messages.ts";
import type { GroupRecord, TrajectoryRecord } from "../../../../protocol/records.ts";
import { otherwise } from "../../../../rl/otherwise/otherwise.ts";
import { rewardsByHand } from "../../../../rl/otherwise/rescore.ts";

/** What an answer gets under rewards by hand. */
export interface ByHand {
  readonly advantage: number;
  /** Minus the derivative of the loss by the log-prob of the whole answer. */
  readonly push: number;
}

/** Before the update nothing has moved: what is trained is what sampled. */
function atFirstPass({ channels, ...trajectory }: TrajectoryRecord): TrajectoryRecord {
  return { ...trajectory, channels: { ...channels, trainLogprobs: channels.oldLogprobs, trainEntropies: channels.sampledEntropies } };
}

/** The answers of one group under these rewards, the others of the step under their own. */
export function byHand(
  { groups, config }: Pick<StepGroups, "groups" | "config">,
  group: GroupRecord,
  rewards_G: readonly number[],
): readonly ByHand[] {
  const first: readonly GroupRecord[] = groups.map((each) => ({ ...each, trajectories: each.trajectories.map(atFirstPass) }));
  const p = groups.indexOf(group);
  const { advantages, weights_P_G_T } = otherwise(first, config, rewardsByHand(groups, p, rewards_G).flat());
  const q = groups.slice(0, p).reduce((count, each) => count + each.trajectories.length, 0);
  return weights_P_G_T[p]!.map((weights_T, g) => ({
    advantage: advantages.advantages_Q[q + g]!,
    push: weights_T.reduce((sum, weight) => sum - weight, 0),
  }));
}

/** What the rules gave; 0 where nothing could score. */
export function givenRewards({ trajectories }: GroupRecord): readonly number[] {
  return trajectories.map(({ reward }) => reward ?? 0);
}

/** Bounds of the sliders: 0 to 1, or as far as the rules went. */
export function rewardRange(rewards: readonly number[]): readonly [least: number, most: number] {
  return [Math.floor(Math.min(0, ...rewards)), Math.ceil(Math.max(1, ...rewards))];
}
