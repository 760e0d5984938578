// Advantages on tensors: verl's and TRL's numbers, and agreement with the scalar form over random
// batches, shapes and combinations of switches.
import * as tf from "@tensorflow/tfjs";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { tensorAdvantages } from "../../../src/model/composed/advantage/advantages.ts";
import { startTfjs } from "../../../src/model/tfjs.ts";
import { type RunConfig, runConfigSchema } from "../../../src/protocol/config.ts";
import { klRewards, sumPerSequence } from "../../../src/rl/advantage/tokenRewards.ts";
import { type AdvantageInput, computeAdvantages } from "../../../src/rl/advantages.ts";
import { Random } from "../../../src/rl/random.ts";
import { randomBatch } from "../../rl/randomBatch.ts";
import { expectInFloat32 } from "../../support/float32.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { describeVerlCases } from "../../support/tensorAdvantageSuite.ts";

beforeAll(async () => {
  await startTfjs("wasm", createNodeHost());
});

describeVerlCases("advantages on tensors equal verl's and TRL's on WASM");

const anySwitches: fc.Arbitrary<RunConfig> = fc
  .record({
    advantageBaseline: fc.constantFrom(
      "none" as const,
      "batch-mean" as const,
      "group-mean" as const,
      "leave-one-out" as const,
      "length-weighted" as const,
      "critic" as const,
    ),
    advantageScale: fc.constantFrom("none" as const, "group-std" as const, "batch-std" as const),
    advantageStd: fc.constantFrom("sample" as const, "population" as const),
    advantageEps: fc.constantFrom(1e-8, 1e-4),
    rewardAggregation: fc.constantFrom("sum-then-normalize" as const, "normalize-then-sum" as const),
    whitenAdvantages: fc.boolean(),
    discount: fc.constantFrom(1, 0.9),
    gaeLambda: fc.constantFrom(1, 0.8),
    klCoef: fc.constantFrom(0, 0.3),
    klPlacement: fc.constantFrom("loss" as const, "reward" as const),
    klEstimator: fc.constantFrom("k1" as const, "k2" as const, "k3" as const),
  })
  .map((switches) => runConfigSchema.parse(switches));

const anyShape = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  groups: fc.integer({ min: 1, max: 4 }),
  groupSize: fc.integer({ min: 1, max: 5 }),
  longest: fc.integer({ min: 1, max: 12 }),
});

/** Rewards of a few levels, one in ten missing; two parts that add up to them. */
function batchOf({
  seed,
  groups,
  groupSize,
  longest,
}: {
  seed: number;
  groups: number;
  groupSize: number;
  longest: number;
}): AdvantageInput {
  const Q = groups * groupSize;
  const tokens = randomBatch(seed, Q, true, longest);
  const random = new Random(seed + 1);
  const draw = () => (random.uniform() < 0.1 ? null : [0, 0.3, 0.7, 1][random.below(4)]!);
  const parts_Q = Array.from({ length: Q }, () => [
    { name: "first", value: draw(), weight: 1 },
    { name: "second", value: draw(), weight: 0.5 },
  ]);
  return {
    rewards_Q: parts_Q.map((parts) =>
      parts.every(({ value }) => value === null) ? null : parts.reduce((sum, { value, weight }) => sum + weight * (value ?? 0), 0),
    ),
    parts_Q,
    groupOf_Q: Int32Array.from({ length: Q }, (_, q) => Math.floor(q / groupSize)),
    tokenCount_Q: Array.from({ length: Q }, (_, q) => tokens.sequenceStart_Q[q + 1]! - tokens.sequenceStart_Q[q]!),
    sequenceStart_Q: tokens.sequenceStart_Q,
    mask_K: tokens.mask_K,
    oldLogprobs_K: tokens.oldLogprobs_K,
    refLogprobs_K: tokens.refLogprobs_K,
    values_K: tokens.oldValues_K,
  };
}

/** All equal to 0, or a standard deviation that float32 can divide by without losing the digits compared. */
function isWellSpread(values: readonly number[]): boolean {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length);
  return variance > 0.0025 || values.every((value) => value === 0);
}

/** False where a divisor of this batch is so small that rounding of its rewards decides. */
function isWellConditioned(input: AdvantageInput, config: RunConfig): boolean {
  const kl_K = klRewards(input, config);
  const kl_Q = kl_K && sumPerSequence(kl_K, input.sequenceStart_Q);
  // Without a KL equal rewards are equal exactly, and others differ by 0.05 at least.
  const isScaled =
    config.advantageBaseline !== "critic" && (config.advantageScale !== "none" || config.rewardAggregation === "normalize-then-sum");
  if (kl_Q && isScaled) {
    const totals_Q = input.rewards_Q.map((reward, q) => (reward ?? 0) + kl_Q[q]!);
    const groups = [...new Set(input.groupOf_Q)].map((group) => totals_Q.filter((_, q) => input.groupOf_Q[q] === group));
    if (config.rewardAggregation === "normalize-then-sum" || ![...groups, totals_Q].every(isWellSpread)) return false;
  }
  if (!config.whitenAdvantages) return true;
  const { advantages_K } = computeAdvantages(input, { ...config, whitenAdvantages: false });
  return isWellSpread(Array.from(advantages_K).filter((_, k) => input.mask_K[k]));
}

describe("advantages on tensors", () => {
  it("are the scalar form's for any switches and shapes", async () => {
    await fc.assert(
      fc.asyncProperty(anyShape, anySwitches, async (shape, config) => {
        const input = batchOf(shape);
        fc.pre(isWellConditioned(input, config));
        const scalar = computeAdvantages(input, config);
        const tensor = await tensorAdvantages(input, config);
        expectInFloat32(tensor.advantages_K, scalar.advantages_K, "advantages");
        expectInFloat32(tensor.returns_K, scalar.returns_K, "returns");
        if (tensor.completion_Q && config.discount === 1 && !config.whitenAdvantages)
          expectInFloat32(tensor.completion_Q, scalar.advantages_Q, "advantages of completions");
      }),
      { numRuns: 300, seed: 13 },
    );
  });

  it("see that rewards are equal where the rounding of their mean says otherwise", async () => {
    // In float32 the mean of seven times 0.3 is not 0.3.
    const rewards_Q = [...new Array<number>(7).fill(0.3), ...new Array<number>(7).fill(0.1)];
    const input = { ...batchOf({ seed: 5, groups: 2, groupSize: 7, longest: 4 }), rewards_Q };
    const switches = { advantageScale: "group-std", advantageEps: 1e-8 } as const;
    for (const advantageBaseline of ["group-mean", "leave-one-out", "length-weighted"] as const) {
      const { completion_Q } = await tensorAdvantages(input, runConfigSchema.parse({ ...switches, advantageBaseline }));
      expect(Array.from(completion_Q!, Math.abs)).toEqual(new Array(14).fill(0));
    }
    // With another baseline ε alone is left to divide by.
    const { completion_Q } = await tensorAdvantages(input, runConfigSchema.parse({ ...switches, advantageBaseline: "batch-mean" }));
    expectInFloat32(completion_Q, [...new Array<number>(7).fill(1e7), ...new Array<number>(7).fill(-1e7)], "advantages");
  });

  it("do not whiten a single token", async () => {
    const batch = { ...batchOf({ seed: 1, groups: 1, groupSize: 1, longest: 1 }), rewards_Q: [0.7], mask_K: [1] };
    const config = runConfigSchema.parse({ advantageBaseline: "none", advantageScale: "none", whitenAdvantages: true });
    expectInFloat32((await tensorAdvantages(batch, config)).advantages_K, computeAdvantages(batch, config).advantages_K, "advantages");
    expectInFloat32((await tensorAdvantages(batch, config)).advantages_K, [0.7], "advantages");
  });

  it("leave no tensor behind", async () => {
    const before = tf.memory().numTensors;
    await fc.assert(
      fc.asyncProperty(anyShape, anySwitches, async (shape, config) => {
        await tensorAdvantages(batchOf(shape), config);
      }),
      { numRuns: 20, seed: 3 },
    );
    expect(tf.memory().numTensors).toBe(before);
  });
});
