// A group of two answers as this lab keeps it, with a number of every kind for each token.
import type { GroupRecord } from "../../src/protocol/records.ts";

const channels = {
  ...{ oldLogprobs: [-0.1, 0, -0.3], trainLogprobs: [-0.2, 0, -0.4], newLogprobs: null, refLogprobs: [-0.5, 0, -0.6] },
  ...{
    sampledEntropies: null,
    trainEntropies: [0.1, 0, 0.2],
    advantages: [0.5, 0, 0.5],
    lossWeights: [-1, 0, -1],
    mask: [1, 0, 1],
    values: null,
  },
};
const trajectory = (reward: number) => ({
  ...{ tokens: [4, 5, 6], sampled: [1, 0, 1], pieces: ["a", "b", "c"], text: "abc", stopReason: "completed" as const },
  ...{ messages: [{ role: "assistant" as const, content: "abc" }], rewardParts: [{ name: "right", value: reward, weight: 1 }] },
  ...{ reward, advantage: reward - 0.5, success: reward === 1, channels },
});
export const labGroup: GroupRecord = {
  ...{ step: 3, promptIndex: 0, exampleId: "one", answer: "abc", messages: [{ role: "user", content: "Say abc." }], zeroSpread: false },
  ...{ promptTokens: [1, 2], promptPieces: ["Say ", "abc."], trajectories: [trajectory(1), trajectory(0)] },
};
