// Kept rollouts under other rewards, without sampling: what each conversation of a step would have earned, and
// the advantages that follow. Scores and advantages come out of the trainer's own functions.
import type { RunConfig } from "../../protocol/config.ts";
import type { GroupRecord, MessageRecord, TrajectoryRecord } from "../../protocol/records.ts";
import type { AdvantageTerms } from "../advantage/types.ts";
import { rewardGroups } from "../rewards/weightedReward.ts";
import type { Message, Reward, RewardModel, Trajectory } from "../types.ts";
import { stepAdvantages } from "./counterfactual.ts";

export interface Rescored {
  readonly rewards_P_G: readonly (readonly Reward[])[];
  /** One advantage for each completion; the mean over trained tokens where they differ. */
  readonly advantages_P_G: readonly (readonly number[])[];
  /** How they came about, by completion; null where turns or agents are compared. */
  readonly terms: AdvantageTerms | null;
  readonly zeroSpread_P: readonly boolean[];
  /** What had to be assumed because the step did not record it, as sentences. */
  readonly assumptions: readonly string[];
}

function messageOf({ toolCalls, ...message }: MessageRecord): Message {
  return { ...message, ...(toolCalls ? { toolCalls: toolCalls.map((call, i) => ({ ...call, id: `call-${i + 1}` })) } : {}) };
}

function trajectoryOf(group: GroupRecord, record: TrajectoryRecord): Trajectory {
  const { tokens, sampled, channels, messages, stopReason, report, failure } = record;
  const atSampled = (values: readonly number[]) => values.filter((_, t) => sampled[t] === 1);
  return {
    promptTokens: (record.prompt ?? group).promptTokens,
    tokens,
    mask: sampled,
    logprobs: atSampled(channels.oldLogprobs),
    entropies: channels.sampledEntropies && atSampled(channels.sampledEntropies),
    messages: [...group.messages, ...messages].map(messageOf),
    stopReason,
    ...(report ? { report } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
}

/**
 * A step's rewards and advantages under another reward model. With the same rollouts they are those of a run
 * that had these rewards from the start.
 * @param groups all groups of one step, in order. @param config the run's settings in force at that step.
 */
export async function rescore(groups: readonly GroupRecord[], rewards: RewardModel, config: RunConfig): Promise<Rescored> {
  const kept = groups.map((group) => ({
    example: { id: group.exampleId, messages: group.messages.map(messageOf), answer: group.answer },
    trajectories: group.trajectories.map((record) => trajectoryOf(group, record)),
  }));
  const rewards_P_G = await rewardGroups(kept, rewards, config);
  const { advantages, assumptions } = stepAdvantages(groups, rewards_P_G.flat(), config);
  let q = 0;
  return {
    rewards_P_G,
    advantages_P_G: groups.map(({ trajectories }) => trajectories.map(() => advantages.advantages_Q[q++]!)),
    terms: advantages.terms,
    zeroSpread_P: advantages.zeroSpread_P,
    assumptions,
  };
}
