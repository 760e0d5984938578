// The objective on tensors: TRL's numbers, and agreement with the scalar form over random batches,
// shapes and combinations of switches.
import * as tf from "@tensorflow/tfjs";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { tensorObjective } from "../../../src/model/composed/objective/gradient.ts";
import { startTfjs } from "../../../src/model/tfjs.ts";
import type { RunConfig } from "../../../src/protocol/config.ts";
import { type ObjectiveInput, tokenObjective, withoutTruncated } from "../../../src/rl/objective.ts";
import { Random } from "../../../src/rl/random.ts";
import { anyObjective, isNearKink, randomBatch, withTotals } from "../../rl/randomBatch.ts";
import { lossCases } from "../../rl/trlCases.ts";
import { expectInFloat32 } from "../../support/float32.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { describeTrlCases } from "../../support/tensorObjectiveSuite.ts";

beforeAll(async () => {
  await startTfjs("wasm", createNodeHost());
});

describe.skipIf(lossCases.length === 0)("TRL's cases", () => {
  it("are 17", () => expect(lossCases).toHaveLength(17));
});

describeTrlCases("the objective on tensors equals TRL's on WASM");

/** Any switches, those included that say how a batch is cut and whether φ moves. */
const anySwitches: fc.Arbitrary<RunConfig> = fc
  .record({
    switches: anyObjective,
    isMicro: fc.boolean(),
    vespoFixedWeight: fc.boolean(),
    maxCompletionTokens: fc.constantFrom(8, 40),
    sapoTemperaturePos: fc.constantFrom(0.5, 1),
    sapoTemperatureNeg: fc.constantFrom(1.05, 3),
    vespoKPos: fc.constantFrom(1, 2),
    vespoLambdaNeg: fc.constantFrom(0.5, 2),
  })
  .map(({ switches, isMicro, ...others }) => ({
    ...switches,
    ...others,
    ...(isMicro ? { aggregation: "micro-token-mean" as const } : {}),
  }));

const anyShape = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  sequences: fc.integer({ min: 1, max: 9 }),
  longest: fc.integer({ min: 1, max: 14 }),
  /** Log-ratios are this many times as far from 0. */
  spread: fc.constantFrom(0.1, 1, 3),
  hasCritic: fc.boolean(),
  hasReference: fc.boolean(),
  masksTruncated: fc.boolean(),
});

function batchOf(shape: typeof anyShape extends fc.Arbitrary<infer S> ? S : never, config: RunConfig): ObjectiveInput {
  const batch = randomBatch(shape.seed, shape.sequences, shape.hasCritic, shape.longest);
  const random = new Random(shape.seed + 1);
  const truncated_Q = Array.from({ length: shape.sequences }, () => (random.uniform() < 0.3 ? 1 : 0));
  const moved = {
    ...batch,
    logprobs_K: Float64Array.from(batch.logprobs_K, (logprob, k) => {
      const old = batch.oldLogprobs_K[k]!;
      return old + shape.spread * (logprob - old);
    }),
    refLogprobs_K: shape.hasReference ? batch.refLogprobs_K : null,
    mask_K: shape.masksTruncated ? withoutTruncated(batch.mask_K, batch.sequenceStart_Q, truncated_Q) : batch.mask_K,
  };
  return withTotals(moved, config);
}

describe("the objective on tensors", () => {
  it("has the scalar form's loss, parts and gradients for any switches and shapes", async () => {
    let batches = 0;
    await fc.assert(
      fc.asyncProperty(anyShape, anySwitches, async (shape, config) => {
        const input = batchOf(shape, config);
        // At a kink float32 may round to the other side.
        fc.pre(!isNearKink(input, config, 1e-5));
        const scalar = tokenObjective(input, config);
        const tensor = await tensorObjective(input, config);
        for (const part of ["loss", "policyLoss", "klLoss", "entropyLoss", "valueLoss"] as const)
          expectInFloat32([tensor[part]], [scalar[part]], part);
        for (const part of ["gradLogprobs_K", "gradEntropies_K", "gradValues_K"] as const)
          expectInFloat32(tensor[part], scalar[part], part);
        batches += 1;
      }),
      { numRuns: 500, seed: 11 },
    );
    expect(batches).toBeGreaterThanOrEqual(500);
  });

  it("leaves no tensor behind", async () => {
    const before = tf.memory().numTensors;
    await fc.assert(
      fc.asyncProperty(anyShape, anySwitches, async (shape, config) => {
        await tensorObjective(batchOf(shape, config), config);
      }),
      { numRuns: 20, seed: 3 },
    );
    expect(tf.memory().numTensors).toBe(before);
  });
});
