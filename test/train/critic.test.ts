// The critic of PPO: on the digit sum every digit changes what reward can still be had, so even of a
// policy that stands still there is something to foresee.
import { describe, expect, it } from "vitest";
import { trainRun } from "../../src/cli/trainRun.ts";
import { presets } from "../../src/train/presets.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const base = presets.find(({ id }) => id === "digit-sum-transformer")!.config;
const config = { ...base, algorithm: "ppo", backend: "wasm", evalEvery: 0, measureUpdate: false, autosaveEvery: 0 } as const;
const standingStill = {
  learningRate: 0,
  innerEpochs: 1,
  promptsPerStep: 8,
  criticTrunk: "own",
  valueEpochs: 4,
  valueClip: 0,
  steps: 60,
} as const;

/** Mean explained variance of the last 20 steps. */
async function explained(valueLearningRate: number): Promise<number> {
  const { steps } = await trainRun({ ...config, ...standingStill, valueLearningRate }, createNodeHost());
  return steps.slice(-20).reduce((sum, { metrics }) => sum + metrics["value/explained_variance"]!, 0) / 20;
}

describe("the critic", () => {
  it("comes to foresee part of the reward, and nothing when it may not learn", async () => {
    expect(await explained(3e-3)).toBeGreaterThan(0.06);
    expect(Math.abs(await explained(0))).toBeLessThan(0.01);
  }, 90_000);

  it("is gone from the metrics when it is turned off", async () => {
    const { steps } = await trainRun({ ...config, advantageBaseline: "group-mean", steps: 3 }, createNodeHost());
    expect(steps.at(-1)?.metrics).not.toHaveProperty("value/explained_variance");
    expect(steps.at(-1)?.metrics.reward).toBeGreaterThan(0);
  });
});
