// Advantages, returns, value loss and KL estimators against verl's and TRL's numbers.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../src/protocol/config.ts";
import { computeAdvantages } from "../../src/rl/advantages.ts";
import { klGradient, klValue } from "../../src/rl/kl/index.ts";
import { objectiveTotals } from "../../src/rl/objective/totals.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { flatten, relativeError } from "./reference.ts";
import { batchOf, reference, SWITCHES, type Table } from "./verlCases.ts";

describe("advantages equal verl's", () => {
  it("names every estimator of the file", () => expect(Object.keys(reference.advantages).sort()).toEqual(Object.keys(SWITCHES).sort()));

  it.each(Object.entries(SWITCHES))("%s", (name, switches) => {
    const expected = reference.advantages[name]!;
    const result = computeAdvantages(batchOf(reference), runConfigSchema.parse(switches));
    const isPerToken = Array.isArray(expected[0]);
    const actual = isPerToken ? result.advantages_K : result.advantages_Q;
    expect(relativeError(actual, isPerToken ? flatten(expected as Table) : (expected as number[]))).toBeLessThan(1e-9);
    expect(result.zeroSpread_P).toEqual([false, true, false]);
  });

  it("normalises two weighted rewards before summing them", () => {
    const { twoRewards } = reference;
    const parts_Q = twoRewards.rewards.map((row) => row.map((value, i) => ({ name: `r${i}`, value, weight: twoRewards.weights[i]! })));
    const rewards_Q = parts_Q.map((parts) => parts.reduce((sum, part) => sum + part.weight * part.value, 0));
    const config = runConfigSchema.parse({ rewardAggregation: "normalize-then-sum" });
    const result = computeAdvantages({ ...batchOf(reference), rewards_Q, parts_Q }, config);
    expect(relativeError(result.advantages_Q, twoRewards.normalizeThenSum)).toBeLessThan(1e-9);
  });
});

describe("the critic equals verl's", () => {
  const cases = reference.ppo.cases;
  it.each(cases.map((one) => [one.gamma, one.lambda_, one] as const))("GAE and value loss with γ %s, λ %s", (gamma, lambda, expected) => {
    const batch = { ...batchOf(reference), values_K: flatten(reference.ppo.values) };
    const config = runConfigSchema.parse({
      advantageBaseline: "critic",
      whitenAdvantages: true,
      discount: gamma,
      gaeLambda: lambda,
      valueClip: expected.clipRangeValue,
      valueCoef: 1,
    });
    const { advantages_K, returns_K } = computeAdvantages(batch, config);
    expect(relativeError(advantages_K, flatten(expected.whitenedAdvantages))).toBeLessThan(1e-9);
    // verl leaves rounding dust at untrained tokens; only trained ones mean anything.
    const returns = flatten(expected.returns).map((value, k) => (batch.mask_K[k] ? value : 0));
    expect(relativeError(returns_K!, returns)).toBeLessThan(1e-9);

    const zeros = new Float64Array(batch.mask_K.length);
    const result = tokenObjective(
      {
        logprobs_K: zeros,
        oldLogprobs_K: zeros,
        refLogprobs_K: null,
        entropies_K: zeros,
        advantages_K: zeros,
        mask_K: batch.mask_K,
        sequenceStart_Q: batch.sequenceStart_Q,
        values_K: flatten(reference.ppo.newValues),
        oldValues_K: batch.values_K,
        returns_K,
        totals: objectiveTotals({ ...batch, entropies_K: null }, config),
      },
      config,
    );
    expect(Math.abs(result.sums.valueLoss / expected.valueLoss - 1)).toBeLessThan(1e-9);
    expect(result.sums.valueClipped / result.sums.tokens).toBeCloseTo(expected.valueClipFraction, 6);
    expect(relativeError(result.gradValues_K!, flatten(expected.gradNewValues))).toBeLessThan(1e-9);
  });
});

describe("tokens that are left out between those that are trained", () => {
  const whole = { ...batchOf(reference), values_K: flatten(reference.ppo.values) };
  const kept = [...whole.mask_K.keys()].filter((k) => whole.mask_K[k]);
  /** The same batch with the trained tokens alone, as the trainer packs it. */
  const packed = {
    ...whole,
    sequenceStart_Q: whole.sequenceStart_Q.map((start) => kept.filter((k) => k < start).length),
    mask_K: new Uint8Array(kept.length).fill(1),
    oldLogprobs_K: new Float64Array(kept.length),
    values_K: Float64Array.from(kept, (k) => whole.values_K[k]!),
  };
  const table = (expected: Table) => Float64Array.from(kept, (k) => flatten(expected)[k]!);

  it("change no advantage and no return of the reference", () => {
    expect(kept.length).toBeLessThan(whole.mask_K.length - 20);
    for (const [name, switches] of Object.entries(SWITCHES)) {
      const expected = reference.advantages[name]!;
      if (!Array.isArray(expected[0])) continue;
      expect(relativeError(computeAdvantages(packed, runConfigSchema.parse(switches)).advantages_K, table(expected as Table))).toBeLessThan(
        1e-9,
      );
    }
    for (const { gamma, lambda_, whitenedAdvantages, returns } of reference.ppo.cases) {
      const gae = { advantageBaseline: "critic", whitenAdvantages: true, discount: gamma, gaeLambda: lambda_ } as const;
      const { advantages_K, returns_K } = computeAdvantages(packed, runConfigSchema.parse(gae));
      expect(relativeError(advantages_K, table(whitenedAdvantages))).toBeLessThan(1e-9);
      expect(relativeError(returns_K!, table(returns))).toBeLessThan(1e-9);
    }
  });
});

describe("KL estimators equal verl's", () => {
  it.each(["k1", "k2", "k3", "k3+"] as const)("%s", (estimator) => {
    const { logprobs, refLogprobs, values, gradLogprobs } = reference.klEstimators;
    const actual = logprobs.map((logprob, i) => klValue(estimator, logprob, refLogprobs[i]!));
    const gradient = logprobs.map((logprob, i) => klGradient(estimator, logprob, refLogprobs[i]!));
    expect(relativeError(actual, values[estimator]!)).toBeLessThan(1e-9);
    expect(relativeError(gradient, gradLogprobs[estimator]!)).toBeLessThan(1e-9);
  });
});
