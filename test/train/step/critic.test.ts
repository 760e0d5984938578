// The critic of PPO. On the digit sum every digit changes what reward can still be had, so there is
// something to foresee at every token but the first. How much is a matter of counting: a policy that
// draws its tokens evenly fixes what the best of critics explains.

import { describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { presets } from "../../../src/train/catalog.ts";
import { driveSession } from "../../support/driveSession.ts";
import { isLong, longOnly } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const preset = (id: string): RunConfigInput => presets.find((entry) => entry.id === id)!.config;
const quiet = { backend: "wasm", evalEvery: 0, measureUpdate: false, autosaveEvery: 0 } as const;
const EXPLAINED = "value/explained_variance";

async function train(config: RunConfigInput) {
  const { steps } = await trainRun({ ...quiet, ...config }, createNodeHost());
  const mean = (key: string, from: number, to: number) =>
    steps.slice(from, to).reduce((sum, { metrics }) => sum + metrics[key]!, 0) / (to - from);
  return { steps, mean };
}

/** How far the token advantages of one completion lie apart, for each of a step's first prompt. */
async function advantageSpreads(config: RunConfigInput): Promise<readonly number[]> {
  const session = await driveSession();
  const finished = session.next("state", ({ state }) => state === "finished" || state === "failed");
  await session.send({ type: "start", runId: "run", config: { ...quiet, ...config } });
  await finished;
  expect(session.all("error")).toEqual([]);
  const { groups } = await session.send({ type: "inspect", step: config.steps ?? 1, promptIndex: 0 });
  const { trajectories } = groups[0]!;
  return trajectories.map(({ channels: { advantages } }) => Math.max(...advantages!) - Math.min(...advantages!));
}

/**
 * Explained variance of the critic V(s) = E[R | s] under a policy that draws each token evenly from ten
 * digits and the begin mark, which earns 0; returns are the reward (λ = 1) and all positions count alike.
 */
function bestExplainedVariance({ length, target, scale }: { length: number; target: number; scale: number }): number {
  const reward = (sum: number) => Math.exp(-Math.abs(sum - target) / scale);
  // Values and probabilities of the sums after each number of digits; a begin mark leaves value 0 behind.
  let values = Array.from({ length: 9 * length + 1 }, (_, sum) => reward(sum));
  const valuesAt = [values];
  for (let digits = length - 1; digits >= 0; digits--) {
    const next = values;
    values = Array.from({ length: 9 * digits + 1 }, (_, sum) => next.slice(sum, sum + 10).reduce((total, v) => total + v, 0) / 11);
    valuesAt.unshift(values);
  }
  let odds = [1];
  const squares = valuesAt.map((values) => {
    const square = values.reduce((total, v, sum) => total + odds[sum]! * v * v, 0);
    const next = new Array<number>(odds.length + 9).fill(0);
    for (const [sum, p] of odds.entries()) for (let digit = 0; digit <= 9; digit++) next[sum + digit]! += p / 11;
    odds = next;
    return square;
  });
  const mean = valuesAt[0]![0]!;
  const variance = squares.at(-1)! - mean * mean;
  return squares.slice(0, -1).reduce((total, square) => total + (square - mean * mean) / variance, 0) / length;
}

describe("what a critic can foresee", () => {
  it("is little on four digits and more on eight", () => {
    expect(bestExplainedVariance({ length: 4, target: 18, scale: 2 })).toBeCloseTo(0.121, 3);
    expect(bestExplainedVariance({ length: 8, target: 60, scale: 8 })).toBeCloseTo(0.309, 3);
  });

  it("is most of what it learns under a policy that stands still", async () => {
    const still = {
      ...preset("digit-sum-transformer"),
      algorithm: "ppo",
      learningRate: 0,
      innerEpochs: 1,
      promptsPerStep: 8,
      gaeLambda: 1,
      steps: 40,
    } as const;
    const best = bestExplainedVariance({ length: 4, target: 18, scale: 2 });
    const learnt = await train(still);
    expect(learnt.mean(EXPLAINED, 20, 40)).toBeGreaterThan(0.5 * best);
    expect(learnt.mean(EXPLAINED, 20, 40)).toBeLessThan(1.15 * best);
  }, 90_000);
});

describe("the critic", () => {
  const config = preset("digit-sum-critic");

  it.skipIf(!isLong)(
    longOnly("comes to foresee over three tenths of the reward's variance while the policy learns"),
    async () => {
      const { mean } = await train({ ...config, steps: 40 });
      expect(mean(EXPLAINED, 20, 40)).toBeGreaterThan(0.3);
      expect(mean("reward", 20, 40)).toBeGreaterThan(mean("reward", 0, 5) + 0.3);
    },
    90_000,
  );

  it("foresees nothing when it may not learn", async () => {
    const { mean } = await train({ ...config, valueLearningRate: 0, promptsPerStep: 1, steps: 10 });
    expect(Math.abs(mean(EXPLAINED, 0, 10))).toBeLessThan(1e-6);
  }, 60_000);

  it("is gone from the metrics when it is turned off", async () => {
    const { steps } = await train({ ...config, advantageBaseline: "group-mean", promptsPerStep: 1, steps: 3 });
    for (const { metrics } of steps) expect(Object.keys(metrics).filter((key) => key.startsWith("value/"))).toEqual([]);
    expect(steps.at(-1)?.metrics.reward).toBeGreaterThan(0);
  }, 60_000);

  // With λ = 1 nothing but the critic's own values tells the tokens of a completion apart.
  it("gives the tokens of a completion credit of their own, turned off or blind it does not", async () => {
    const small = { ...config, promptsPerStep: 1, gaeLambda: 1, steps: 8 } as const;
    expect(Math.min(...(await advantageSpreads(small)))).toBeGreaterThan(0.01);
    expect(Math.max(...(await advantageSpreads({ ...small, valueLearningRate: 0 })))).toBeLessThan(1e-6);
    expect(Math.max(...(await advantageSpreads({ ...small, advantageBaseline: "group-mean" })))).toBeLessThan(1e-6);
  }, 60_000);
});
