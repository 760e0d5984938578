// This lab's own lines, read back: the records are those that were written, number by number.
import { describe, expect, it } from "vitest";
import { trajectoryLines } from "../../src/export/trajectoryLines.ts";
import type { GroupRecord } from "../../src/protocol/records.ts";
import { openTraces } from "../../src/traces/openTraces.ts";
import { lines, traceFile } from "../support/traceFiles.ts";

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
const group: GroupRecord = {
  ...{ step: 3, promptIndex: 0, exampleId: "one", answer: "abc", messages: [{ role: "user", content: "Say abc." }], zeroSpread: false },
  ...{ promptTokens: [1, 2], promptPieces: ["Say ", "abc."], trajectories: [trajectory(1), trajectory(0)] },
};

describe("this lab's conversations", () => {
  it("come back as the records that they were", async () => {
    const set = await openTraces([traceFile("run/trajectories.jsonl", lines(trajectoryLines({ groups: [group] }, 8)))], {});
    expect(set.report).toMatchObject({
      form: "lab",
      steps: [3],
      tokens: "decoded ids",
      logprobs: ["sampler", "trainer", "reference"],
      missing: [],
    });
    expect(await set.groups(3)).toMatchObject([group]);
    expect(set.rows.map(({ reward, length, success }) => [reward, length, success])).toEqual([
      [1, 2, true],
      [0, 2, false],
    ]);
  });
});
