// A conversation of two turns with a tool between them trains alike on every backend: from the same weights
// and draws the same tokens are sampled, and the step that follows has the same loss, gradient and weights.
import { describe, expect, it, vi } from "vitest";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { toolEnvs } from "../../rl/twoTurns.ts";
import { startWeights, trainingBackends, trainSmall } from "../../support/smallTraining.ts";
import { difference } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 240_000 });

/** One step on two-turn conversations whose tool says one to three digits. */
async function trainOnce(backend: Promise<TransformerBackend>) {
  const task = { envs: toolEnvs(2, (_, turn) => 1 + (turn % 3)), maxTurns: 2 };
  const { metrics, weights_N, sampled } = await trainSmall({ backend, task });
  const trajectories = sampled.groups.flatMap((group) => group.trajectories);
  return {
    tokens: trajectories.map(({ tokens }) => tokens),
    masks: trajectories.map(({ mask }) => mask),
    figures: [metrics.loss!, metrics.grad_norm!, metrics.entropy!],
    entropies_K: sampled.sampledEntropies_K!,
    weights_N,
  };
}

describe("a step on conversations of two turns", () => {
  const [[, createFirst], ...others] = trainingBackends as [(typeof trainingBackends)[number], ...typeof trainingBackends];
  const first = trainOnce(createFirst());

  it("samples both turns and inserts the tool's", async () => {
    const { tokens, masks } = await first;
    expect(masks.every((mask) => mask.join("") === `1111${"0".repeat(mask.length - 8)}1111`)).toBe(true);
    expect(new Set(tokens.map((each) => each.join())).size).toBeGreaterThan(4);
  });

  for (const [name, create, reason] of others) {
    it.skipIf(reason !== undefined)(`is the same on ${name}${reason ? ` (skipped: ${reason})` : ""}`, async () => {
      const [expected, actual] = [await first, await trainOnce(create())];
      expect(actual.tokens).toEqual(expected.tokens);
      expect(actual.masks).toEqual(expected.masks);
      expect(difference(actual.entropies_K, expected.entropies_K).largest).toBeLessThan(1e-4);
      for (const [i, figure] of actual.figures.entries()) expect(Math.abs(figure - expected.figures[i]!)).toBeLessThan(1e-5);
      // Plain gradient descent: weights differ as gradients do, a tenth of them.
      const moved = difference(expected.weights_N, startWeights()).largest;
      expect(moved).toBeGreaterThan(1e-3);
      expect(difference(actual.weights_N, expected.weights_N).largest).toBeLessThan(1e-4 * moved + 2e-7);
    });
  }
});
