// Kept rollouts under other rewards, without sampling: of another reward model, or given by hand. Scores come out of
// the trainer's own functions.
import type { RunConfig } from "../../protocol/config.ts";
import type { GroupRecord, MessageRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { rewardGroups } from "../rewards/weightedReward.ts";
import type { Message, Reward, RewardModel, Trajectory } from "../types.ts";
import { atSampled, otherwise, rewardUnder } from "./otherwise.ts";

function messageOf({ toolCalls, ...message }: MessageRecord): Message {
  return { ...message, ...(toolCalls ? { toolCalls: toolCalls.map((call, i) => ({ ...call, id: `call-${i + 1}` })) } : {}) };
}

function trajectoryOf(group: GroupRecord, record: TrajectoryRecord): Trajectory {
  const { tokens, sampled, channels, messages, stopReason, report, failure } = record;
  return {
    promptTokens: (record.prompt ?? group).promptTokens,
    tokens,
    mask: sampled,
    logprobs: atSampled(channels.oldLogprobs ?? tokens.map(() => 0), record),
    entropies: channels.sampledEntropies && atSampled(channels.sampledEntropies, record),
    messages: [...group.messages, ...messages].map(messageOf),
    // Only files of others leave it open; rules that ask for it are refused there, and what else may ask is told so.
    stopReason: stopReason ?? "completed",
    ...(report ? { report } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
}

/** Recorded groups as they were handed to rewards, and the record that a trajectory of them came from. */
export function rolloutsOf(groups: readonly GroupRecord[]) {
  const recordOf = new Map<Trajectory, TrajectoryRecord>();
  const kept = groups.map((group) => ({
    example: { id: group.exampleId, messages: group.messages.map(messageOf), answer: group.answer },
    trajectories: group.trajectories.map((record) => {
      const trajectory = trajectoryOf(group, record);
      recordOf.set(trajectory, record);
      return trajectory;
    }),
  }));
  return { kept, recordOf };
}

/**
 * A step's rewards under another reward model, and what follows from them. With the same rollouts it is that of a run
 * that had these rewards from the start.
 * @param groups all groups of one step, in order. @param config the run's settings in force at that step.
 */
export async function rescore(groups: readonly GroupRecord[], rewards: RewardModel, config: RunConfig) {
  const rewards_P_G = await rewardGroups(rolloutsOf(groups).kept, rewards, config);
  return { rewards_P_G, ...otherwise(groups, config, rewards_P_G.flat()) };
}

/** What a recorded completion earns otherwise; whether it is right stays as somebody said it, or nobody. */
export type ScoredAgain = Omit<Reward, "success"> & Pick<TrajectoryRecord, "success">;

/** The recorded rewards of a step, with the overlong punishment of this configuration in place of the recorded one. */
export function rewardsUnder(groups: readonly GroupRecord[], config: RunConfig): readonly (readonly ScoredAgain[])[] {
  return groups.map(({ trajectories }) => trajectories.map((each) => ({ ...rewardUnder(each, config), success: each.success })));
}

/** The recorded rewards of a step, but for one group what somebody gave it by hand. */
export function rewardsByHand(
  groups: readonly GroupRecord[],
  promptIndex: number,
  given_G: readonly number[],
): readonly (readonly ScoredAgain[])[] {
  return groups.map(({ trajectories }, p) =>
    trajectories.map(({ reward, rewardParts, turnRewards, success }, g) => {
      if (p !== promptIndex) return { total: reward, parts: rewardParts, success, ...(turnRewards ? { turns: turnRewards } : {}) };
      const total = given_G[g]!;
      return { total, parts: [{ name: "by hand", value: total, weight: 1 }], success };
    }),
  );
}
