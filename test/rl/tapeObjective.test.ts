// The objective and its oracle on a tape: both give TRL's numbers, and they agree over random batches,
// shapes and combinations of switches.
import * as tf from "@tensorflow/tfjs";
import * as fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { RunConfig } from "../../src/protocol/config.ts";
import type { ObjectiveInput } from "../../src/rl/objective/types.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { Random } from "../../src/rl/random.ts";
import { expectInFloat32 } from "../support/float32.ts";
import { anyObjective, isNearKink, randomBatch, withTotals } from "./randomBatch.ts";
import { flatten } from "./reference.ts";
import { onTape, tapeObjective } from "./tapeObjective.ts";
import { lossCases, objectiveOf } from "./trlCases.ts";

beforeAll(async () => {
  await tf.setBackend("cpu");
});

describe("the objective on a tape equals TRL's", () => {
  it.each(lossCases.map((reference) => [reference.name, reference] as const))("%s", (_name, reference) => {
    const { config, input } = objectiveOf(reference);
    const { loss, gradLogprobs, gradEntropies } = reference.expected;
    const result = tapeObjective(input, config);
    expectInFloat32([result.loss], [loss], "loss");
    expectInFloat32(result.gradLogprobs_K, flatten(gradLogprobs), "gradient by log-probs");
    expectInFloat32(result.gradEntropies_K, gradEntropies && flatten(gradEntropies), "gradient by entropies");
  });
});

/** Any switches, those included that say how a batch is cut and whether φ moves. */
const anySwitches: fc.Arbitrary<RunConfig> = fc
  .record({
    switches: anyObjective.filter(({ surrogate }) => onTape.includes(surrogate)),
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
  const mask_K = Uint8Array.from(batch.mask_K);
  if (shape.masksTruncated)
    for (let q = 0; q < shape.sequences; q++)
      if (random.uniform() < 0.3) mask_K.fill(0, batch.sequenceStart_Q[q], batch.sequenceStart_Q[q + 1]);
  const moved = {
    ...batch,
    logprobs_K: Float64Array.from(batch.logprobs_K, (logprob, k) => {
      const old = batch.oldLogprobs_K[k]!;
      return old + shape.spread * (logprob - old);
    }),
    refLogprobs_K: shape.hasReference ? batch.refLogprobs_K : null,
    mask_K,
  };
  return withTotals(moved, config);
}

describe("the objective", () => {
  it("has five surrogates on the tape", () => {
    expect(onTape).toEqual(["clip", "reinforce", "cispo", "sapo", "vespo"]);
  });

  it("has the loss, parts and gradients of the tape for any switches and shapes", () => {
    let batches = 0;
    fc.assert(
      fc.property(anyShape, anySwitches, (shape, config) => {
        const input = batchOf(shape, config);
        // At a kink float32 may round to the other side.
        fc.pre(!isNearKink(input, config, 1e-5));
        const scalar = tokenObjective(input, config);
        const tape = tapeObjective(input, config);
        expectInFloat32([scalar.loss], [tape.loss], "loss");
        for (const part of ["policyLoss", "klLoss", "entropyLoss", "valueLoss"] as const)
          expectInFloat32([scalar.sums[part]], [tape.sums[part]], part);
        for (const part of ["gradLogprobs_K", "gradEntropies_K", "gradValues_K"] as const) expectInFloat32(scalar[part], tape[part], part);
        batches += 1;
      }),
      { numRuns: 500, seed: 11 },
    );
    expect(batches).toBeGreaterThanOrEqual(500);
  });
});
