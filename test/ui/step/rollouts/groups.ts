// Groups made up for tests of what is drawn of them.
import type { GroupRecord, TrajectoryRecord } from "../../../../src/protocol/records.ts";

export function trajectory(reward: number | null, advantage: number, length: number): TrajectoryRecord {
  const values = Array.from({ length }, () => -1);
  return {
    tokens: values.map((_, i) => i),
    sampled: values.map(() => 1),
    pieces: values.map(() => "a"),
    text: "a".repeat(length),
    stopReason: "completed",
    messages: [],
    rewardParts: [{ name: "closeness", value: reward, weight: 1 }],
    reward,
    advantage,
    success: reward === 1,
    channels: {
      oldLogprobs: values,
      trainLogprobs: values,
      newLogprobs: null,
      refLogprobs: null,
      sampledEntropies: values,
      trainEntropies: values,
      advantages: values,
      lossWeights: values,
      mask: values.map(() => 1),
      values: null,
    },
  };
}

export function group(trajectories: readonly TrajectoryRecord[], zeroSpread = false): GroupRecord {
  return {
    step: 4,
    promptIndex: 2,
    exampleId: "e",
    messages: [{ role: "user", content: 'say "a"\nplease' }],
    promptTokens: [1],
    promptPieces: ["x"],
    answer: "a",
    zeroSpread,
    trajectories,
  };
}

/** A group with these tokens, and these advantages or none. */
export function groupOf(tokens_G_T: readonly (readonly number[])[], advantages_G: readonly number[] = []): GroupRecord {
  return group(tokens_G_T.map((tokens, g) => ({ ...trajectory(0, advantages_G[g] ?? 0, tokens.length), tokens })));
}
