// Groups that come in chunks are those that come all at once, and no chunk asks for more than it may.
import { describe, expect, it } from "vitest";
import { digitsRenderer } from "../../src/model/renderers/digits.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import type { Policy } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { weightedReward } from "../../src/rl/rewards/weightedReward.ts";
import { type GenerateOptions, generate, generateInChunks } from "../../src/rl/rollout/generator.ts";
import { uniformPolicy } from "../../src/rl/rollout/uniformPolicy.ts";
import { tasks } from "../../src/rl/tasks/index.ts";
import type { TrajectoryGroup } from "../../src/rl/types.ts";
import { evaluate } from "../../src/train/evaluation.ts";
import { toolEnvs } from "./twoTurns.ts";

/** Even draws that note how many tokens each call may sample. */
function watchedPolicy(asked: number[]): Policy {
  const policy = uniformPolicy(10);
  return {
    maxPositions: policy.maxPositions,
    open: (request) => {
      const sequences = policy.open(request);
      return {
        ...sequences,
        sample: (turn) => {
          asked.push(turn.sequences_B.length * turn.maxNewTokens);
          return sequences.sample(turn);
        },
      };
    },
  };
}

const examples = Array.from({ length: 5 }, (_, i) => ({ id: `e${i}`, messages: [{ role: "user" as const, content: "?" }], answer: "1" }));
/** Any conversation stops soon, long before its limit. */
const renderer = { ...digitsRenderer, stopTokens: [9] };
const options = (): GenerateOptions => ({
  ...{ copies: 4, maxNewTokens: 2 ** 17, maxTurns: 1, temperature: 1, topK: 0, topP: 1, minP: 0 },
  random: new Random(3),
});
/** Environments with chance of their own: their seeds are among the draws. */
const parts = (policy: Policy) => ({ policy, envs: toolEnvs(1, () => 3), renderer });

describe("groups in chunks", () => {
  it("are the same groups, drawn in the same order", async () => {
    const asked: number[] = [];
    const chunks: TrajectoryGroup[][] = [];
    for await (const groups of generateInChunks(parts(watchedPolicy(asked)), examples, options())) chunks.push([...groups]);
    expect(chunks.map(({ length }) => length)).toEqual([2, 2, 1]);
    expect(Math.max(...asked)).toBeLessThanOrEqual(2 ** 20);
    expect(chunks.flat()).toEqual(await generate(parts(uniformPolicy(10)), examples, options()));
  });
});

describe("an evaluation of many problems with many samples", () => {
  it("asks its policy for a bounded number of tokens at a time", async () => {
    const asked: number[] = [];
    const task = tasks.find(({ entry }) => entry.id === "boxed-arithmetic")!.create({ largestOperand: 999 }, 0);
    const config = runConfigSchema.parse({ evalProblems: 256, evalSamples: 64, maxCompletionTokens: 128 });
    const context = { config, policy: watchedPolicy(asked), renderer, task, rewards: weightedReward(task, {}) };
    const { passAtK, problems } = await evaluate(context, 0, () => {});
    expect([problems, Object.keys(passAtK).length]).toEqual([256, 7]);
    expect(asked.reduce((sum, tokens) => sum + tokens, 0)).toBe(256 * 65 * 128);
    expect(asked.length).toBeGreaterThan(2);
    expect(Math.max(...asked)).toBeLessThanOrEqual(2 ** 20);
  });
});
