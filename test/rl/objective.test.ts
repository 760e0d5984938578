// Properties of the objective that hold for every combination of switches.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "../../src/protocol/config.ts";
import { computeAdvantages } from "../../src/rl/advantages.ts";
import { importanceRatios } from "../../src/rl/objective/ratio.ts";
import { addSums, emptySums } from "../../src/rl/objective/sums.ts";
import { objectiveTotals } from "../../src/rl/objective/totals.ts";
import type { ObjectiveInput } from "../../src/rl/objective/types.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { surrogateOf } from "../../src/rl/surrogates/index.ts";
import { anyObjective, isNearKink, randomBatch, sliceBatch, withTotals } from "./randomBatch.ts";
import { relativeError } from "./reference.ts";

const seeds = fc.integer({ min: 0, max: 1_000_000 });

/** The loss at `moved` with what the surrogate holds fixed, its ratio or the weight of a whole sequence, taken from `anchor`. */
function lossHolding(anchor: ObjectiveInput, moved: ObjectiveInput, config: RunConfig): number {
  const now = tokenObjective(moved, config);
  const surrogate = surrogateOf(config);
  const ratiosOf = (input: ObjectiveInput) => importanceRatios(input, config.ratioLevel);
  const K = moved.mask_K.length;
  const zeros = () => new Float64Array(K);
  const filled = {
    loss_K: zeros(),
    dRatio_K: zeros(),
    dLogprob_K: zeros(),
    dSequence_K: zeros(),
    clipState_K: new Int8Array(K),
    sequenceWeight_Q: zeros(),
  };
  const { ratio_K } = ratiosOf(surrogate.ratio === "moves" ? moved : anchor);
  const { logRatio_K, trained_Q } = ratiosOf(surrogate.movesSequence?.(config) ? moved : anchor);
  surrogate.fill(moved, { ratio_K, logRatio_K, trained_Q }, config, filled);
  let policyLoss = 0;
  for (let k = 0; k < K; k++) policyLoss += now.weight_K[k]! * now.keep_K[k]! * filled.loss_K[k]!;
  return now.loss - now.sums.policyLoss + policyLoss;
}

describe("the objective's gradient", () => {
  it("equals finite differences with respect to every log-prob, for any switches", () => {
    fc.assert(
      fc.property(seeds, anyObjective, fc.boolean(), (seed, switches, fixed) => {
        // k3+ reports one function and differentiates another, so it has no finite difference.
        const config = {
          ...switches,
          klEstimator: switches.klEstimator === "k3+" ? ("k3" as const) : switches.klEstimator,
          vespoFixedWeight: fixed,
        };
        const input = withTotals(randomBatch(seed, 4), config);
        fc.pre(!isNearKink(input, config, 1e-4));
        const { gradLogprobs_K } = tokenObjective(input, config);
        const lossAt = (logprobs_K: Float64Array) => lossHolding(input, { ...input, logprobs_K }, config);
        const h = 1e-6;
        const numeric = gradLogprobs_K.map((_, k) => {
          const up = Float64Array.from(input.logprobs_K);
          const down = up.slice();
          up[k]! += h;
          down[k]! -= h;
          return (lossAt(up) - lossAt(down)) / (2 * h);
        });
        // Cancellation in the loss leaves about 1e-9 absolute in a difference over 2e-6.
        for (let k = 0; k < numeric.length; k++)
          expect(Math.abs(numeric[k]! - gradLogprobs_K[k]!)).toBeLessThan(1e-7 + 1e-6 * Math.abs(numeric[k]!));
      }),
      { numRuns: 200, seed: 7 },
    );
  });

  it("equals finite differences with respect to entropies and values", () => {
    fc.assert(
      fc.property(seeds, anyObjective, (seed, config) => {
        const input = withTotals(randomBatch(seed, 3), config);
        const result = tokenObjective(input, config);
        const h = 1e-6;
        for (const [name, gradient] of [
          ["entropies_K", result.gradEntropies_K],
          ["values_K", result.gradValues_K],
        ] as const) {
          const values = Float64Array.from(input[name]!);
          for (let k = 0; k < values.length; k++) {
            const move = (by: number) =>
              tokenObjective({ ...input, [name]: values.map((value, i) => (i === k ? value + by : value)) }, config).loss;
            if (name === "values_K" && Math.abs(Math.abs(values[k]! - input.oldValues_K![k]!) - config.valueClip) < 1e-4) continue;
            if (name === "entropies_K" && Math.abs(values[k]! - input.totals.entropyThreshold) < 1e-4) continue;
            expect(Math.abs((move(h) - move(-h)) / (2 * h) - (gradient?.[k] ?? 0))).toBeLessThan(1e-7);
          }
        }
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("of k3+ is that of k2, and its value that of k3", () => {
    const switches: RunConfigInput = { klCoef: 0.5, entropyCoef: 0, surrogate: "reinforce" };
    const at = (klEstimator: "k2" | "k3" | "k3+") => {
      const config = runConfigSchema.parse({ ...switches, klEstimator });
      return tokenObjective(withTotals(randomBatch(3, 5), config), config);
    };
    expect(at("k3+").sums.klLoss).toBe(at("k3").sums.klLoss);
    expect(at("k3+").gradLogprobs_K).toEqual(at("k2").gradLogprobs_K);
  });
});

describe("cutting a batch into whole sequences", () => {
  it("changes neither the loss nor any gradient, for any switches and any cut", () => {
    fc.assert(
      fc.property(seeds, anyObjective, fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 0, maxLength: 4 }), (seed, config, cuts) => {
        const Q = 7;
        const input = withTotals(randomBatch(seed, Q), config);
        const whole = tokenObjective(input, config);
        const edges = [0, ...new Set(cuts), Q].sort((a, b) => a - b);
        const sums = emptySums();
        const gradient: number[] = [];
        let loss = 0;
        for (let i = 0; i + 1 < edges.length; i++) {
          const part = tokenObjective(sliceBatch(input, edges[i]!, edges[i + 1]!), config);
          loss += part.loss;
          gradient.push(...part.gradLogprobs_K);
          addSums(sums, part.sums);
        }
        expect(Math.abs(loss - whole.loss)).toBeLessThan(1e-12);
        expect(gradient).toEqual(Array.from(whole.gradLogprobs_K));
        for (const key of Object.keys(sums) as (keyof typeof sums)[])
          expect([key, sums[key]]).toEqual([key, expect.closeTo(whole.sums[key], 10)]);
      }),
      { numRuns: 150, seed: 7 },
    );
  });

  it("into equal parts averages the parts' own token means under micro-token-mean", () => {
    const config = runConfigSchema.parse({ aggregation: "micro-token-mean" });
    const input = withTotals(randomBatch(11, 6, false), config);
    const halves = [sliceBatch(input, 0, 3), sliceBatch(input, 3, 6)];
    const own = halves.map((half) => {
      const start = half.sequenceStart_Q.map((at) => at - half.sequenceStart_Q[0]!);
      return tokenObjective(
        { ...half, sequenceStart_Q: start, totals: objectiveTotals({ ...half, sequenceStart_Q: start }, config) },
        config,
      ).loss;
    });
    const loss = halves.reduce((sum, half) => sum + tokenObjective(half, config).loss, 0);
    expect(loss).toBeCloseTo((own[0]! + own[1]!) / 2, 12);
  });
});

describe("what trains nothing", () => {
  it("groups with equal rewards give exactly zero gradient when KL and entropy are off", () => {
    const baselines = fc.constantFrom("group-mean" as const, "leave-one-out" as const, "length-weighted" as const);
    const scales = fc.constantFrom("none" as const, "group-std" as const, "batch-std" as const);
    fc.assert(
      fc.property(
        seeds,
        anyObjective,
        baselines,
        scales,
        fc.double({ min: -3, max: 3, noNaN: true }),
        (seed, switches, advantageBaseline, advantageScale, reward) => {
          const config = { ...switches, klCoef: 0, entropyCoef: 0, advantageBaseline, advantageScale, advantageEps: 0 };
          const batch = randomBatch(seed, 8, false);
          const tokenCount_Q = Array.from({ length: 8 }, (_, q) => batch.sequenceStart_Q[q + 1]! - batch.sequenceStart_Q[q]!);
          // A weighted sum such as 0.1 + 0.2 is equal over the group without being a round number.
          const rewards_Q = tokenCount_Q.map((_, q) => (q < 4 ? reward : reward + q) + 0.1 + 0.2);
          const { advantages_K, zeroSpread_P } = computeAdvantages(
            { ...batch, rewards_Q, tokenCount_Q, groupOf_Q: Int32Array.of(0, 0, 0, 0, 1, 1, 1, 1), values_K: null },
            config,
          );
          expect(zeroSpread_P).toEqual([true, false]);
          const { gradLogprobs_K } = tokenObjective(withTotals({ ...batch, advantages_K }, config), config);
          const end = batch.sequenceStart_Q[4]!;
          for (let k = 0; k < end; k++) expect(Math.abs(gradLogprobs_K[k]!)).toBe(0);
        },
      ),
      { numRuns: 150, seed: 7 },
    );
  });

  it("untrained tokens get no gradient and do not change anyone else's", () => {
    fc.assert(
      fc.property(seeds, anyObjective, (seed, config) => {
        const input = withTotals(randomBatch(seed, 5), config);
        const noise = Float64Array.from(input.logprobs_K, (value, k) => (input.mask_K[k] ? value : value - 1 - k));
        const one = tokenObjective(input, config);
        const other = tokenObjective({ ...input, logprobs_K: noise }, config);
        expect(other.gradLogprobs_K).toEqual(one.gradLogprobs_K);
        for (let k = 0; k < noise.length; k++) if (!input.mask_K[k]) expect(one.gradLogprobs_K[k]).toBe(0);
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("a batch without trained tokens has loss 0 and no gradient", () => {
    const config = runConfigSchema.parse({ klCoef: 0.1, entropyCoef: 0.1 });
    const batch = { ...randomBatch(1, 3), mask_K: new Uint8Array(64) };
    const K = batch.logprobs_K.length;
    const result = tokenObjective(withTotals({ ...batch, mask_K: batch.mask_K.subarray(0, K) }, config), config);
    expect(Math.abs(result.loss)).toBe(0);
    expect(relativeError(result.gradLogprobs_K, new Float64Array(K))).toBe(0);
  });
});

describe("bounds on the ratio", () => {
  const single = (ratio: number, advantage: number, switches: RunConfigInput) => {
    const config = runConfigSchema.parse({ clipLow: 0.2, clipHigh: 0.2, ...switches });
    const zero = Float64Array.of(0);
    const batch = {
      logprobs_K: Float64Array.of(Math.log(ratio)),
      oldLogprobs_K: zero,
      refLogprobs_K: null,
      entropies_K: zero,
      advantages_K: Float64Array.of(advantage),
      mask_K: Uint8Array.of(1),
      sequenceStart_Q: Int32Array.of(0, 1),
      values_K: null,
      oldValues_K: null,
      returns_K: null,
    };
    const result = tokenObjective(withTotals(batch, config), config);
    return { loss: result.loss, gradient: result.gradLogprobs_K[0]!, state: result.clipState_K[0]! };
  };

  it.each([
    ["inside the range", 1.1, 2, {}, -2.2, -2.2, 0],
    ["above it with A > 0", 1.5, 2, {}, -2.4, 0, 1],
    ["above it with A < 0", 1.5, -2, {}, 3, 3, 0],
    ["below it with A < 0", 0.5, -2, {}, 1.6, 0, -1],
    ["below it with A > 0", 0.5, 2, {}, -1, -1, 0],
    ["over δ with A < 0", 9, -1, { clipDelta: 4 }, 4, 0, 2],
    ["over the dual clip with A < 0", 9, -1, { dualClip: 3 }, 3, 0, 2],
    ["under the dual clip with A < 0", 2, -1, { dualClip: 3 }, 2, 2, 0],
    ["over CISPO's cap", 9, 1, { surrogate: "cispo", cispoMax: 5 }, -5 * Math.log(9), -5, 1],
  ] as const)("%s", (_name, ratio, advantage, switches, loss, gradient, state) => {
    const result = single(ratio, advantage, switches);
    expect(result.loss).toBeCloseTo(loss, 12);
    expect(result.gradient).toBeCloseTo(gradient, 12);
    expect(result.state).toBe(state);
  });
});
