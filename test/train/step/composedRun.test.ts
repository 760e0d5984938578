// A run on the composed transformer against the same run on the kernels.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { driveSession } from "../../support/driveSession.ts";

const small: RunConfigInput = {
  task: "digit-sum",
  model: "transformer",
  startFrom: "random",
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 2,
  intermediateSize: 32,
  promptsPerStep: 2,
  groupSize: 4,
  maxCompletionTokens: 8,
  innerEpochs: 2,
  minibatches: 2,
  // AdamW's first steps would turn the rounding of gradients near 0 into whole steps.
  optimizer: "sgd",
  learningRate: 0.1,
  maxGradNorm: 0,
  steps: 3,
  evalEvery: 0,
};

async function run(config: RunConfigInput) {
  const session = await driveSession();
  const finished = session.next("state", ({ state }) => state === "finished");
  await session.send({ type: "start", runId: "run", config });
  await finished;
  expect(session.all("error")).toEqual([]);
  const [started] = session.all("started");
  return { backend: started?.backend.id, records: session.all("steps").flatMap(({ records }) => records) };
}

describe("a run on the composed transformer", () => {
  it.each([
    ["grpo", { klCoef: 0.1 }],
    ["ppo", {}],
  ] as const)("has the losses and gradient norms of one on the kernels: %s", async (algorithm, switches) => {
    const composed = await run({ ...small, ...switches, algorithm, backend: "tfjs-wasm" });
    const kernels = await run({ ...small, ...switches, algorithm, backend: "wasm" });
    expect([composed.backend, kernels.backend?.startsWith("wasm")]).toEqual(["tfjs-wasm", true]);
    expect(composed.records).toHaveLength(3);
    expect(Math.max(...composed.records.map(({ metrics }) => metrics.grad_norm!))).toBeGreaterThan(1e-3);
    for (const [i, { metrics }] of composed.records.entries())
      for (const key of ["loss", "grad_norm", "entropy"])
        expect(Math.abs(metrics[key]! - kernels.records[i]!.metrics[key]!), key).toBeLessThan(1e-4 * Math.abs(metrics[key]!) + 1e-6);
  });
});
