// A sampled conversation as one line of trajectories.jsonl: what was said, its tokens with what the policy
// thought of them, and what it earned.

import type { StepGroups } from "../protocol/messages.ts";
import type { GroupRecord, TrajectoryRecord } from "../protocol/records.ts";
import { messagesWritten } from "../rl/tools/chatMessages.ts";

function lineOf(group: GroupRecord, member: number, trajectory: TrajectoryRecord) {
  const { channels } = trajectory;
  return {
    step: group.step,
    prompt: group.promptIndex,
    member,
    exampleId: group.exampleId,
    answer: group.answer,
    opening: (trajectory.opening ?? group.messages).length,
    messages: messagesWritten([...(trajectory.opening ?? group.messages), ...trajectory.messages]),
    text: trajectory.text,
    stopReason: trajectory.stopReason,
    ...(trajectory.failure === undefined ? {} : { failure: trajectory.failure }),
    reward: trajectory.reward,
    rewardParts: trajectory.rewardParts,
    ...(trajectory.turnRewards ? { turnRewards: trajectory.turnRewards } : {}),
    success: trajectory.success,
    advantage: trajectory.advantage,
    ...(trajectory.arithmetic ? { arithmetic: trajectory.arithmetic } : {}),
    ...(trajectory.minibatches ? { minibatches: trajectory.minibatches } : {}),
    ...(trajectory.prompt ?? { promptTokens: group.promptTokens, promptPieces: group.promptPieces }),
    tokens: trajectory.tokens,
    pieces: trajectory.pieces,
    sampled: trajectory.sampled,
    mask: channels.mask,
    logprobs: channels.oldLogprobs,
    trainLogprobs: channels.trainLogprobs,
    newLogprobs: channels.newLogprobs,
    refLogprobs: channels.refLogprobs,
    entropies: channels.sampledEntropies,
    trainEntropies: channels.trainEntropies,
    advantages: channels.advantages,
    lossWeights: channels.lossWeights,
    ...(channels.values ? { values: channels.values } : {}),
    ...(trajectory.report ? { report: trajectory.report } : {}),
    ...(trajectory.extras ? { extras: trajectory.extras } : {}),
  };
}

/** The first groups of a step, whole ones, up to so many conversations; one group at least. */
export function trajectoryLines({ groups }: Pick<StepGroups, "groups">, most: number): readonly unknown[] {
  const lines: unknown[] = [];
  for (const group of groups) {
    if (lines.length > 0 && lines.length + group.trajectories.length > most) break;
    lines.push(...group.trajectories.flatMap((trajectory, member) => (trajectory.isBare ? [] : lineOf(group, member, trajectory))));
  }
  return lines;
}
