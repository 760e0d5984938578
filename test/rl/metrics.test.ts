import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../src/protocol/config.ts";
import { completionMetrics } from "../../src/rl/metrics/completionMetrics.ts";
import { lossMetrics } from "../../src/rl/metrics/lossMetrics.ts";
import { envMetrics, rewardMetrics } from "../../src/rl/metrics/rewardMetrics.ts";
import { advantageMetrics, samplingMetrics, updateMetrics, valueMetrics } from "../../src/rl/metrics/tokenMetrics.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { oddRemark } from "../../src/train/save/log/oddValues.ts";
import { randomBatch, withTotals } from "./randomBatch.ts";

/** What a function writes into an empty record. */
function written(write: (into: Record<string, number>) => void): Record<string, number> {
  const into: Record<string, number> = {};
  write(into);
  return into;
}

const batch = {
  rewards_Q: [1, 1, 0, 0, 1, 0, null, 0.5],
  parts_Q: [1, 1, 0, 0, 1, 0, null, 0.5].map((value) => [{ name: "exact", value, weight: 1 }]),
  success_Q: [true, true, false, false, true, false, false, false],
  groupOf_Q: [0, 0, 1, 1, 2, 2, 3, 3],
};
const rewards = written((into) => rewardMetrics(batch, into));

describe("reward metrics", () => {
  it("leave out what could not be scored", () => {
    expect(rewards.reward).toBeCloseTo(3.5 / 7, 12);
    expect(rewards.reward_std).toBeCloseTo(Math.sqrt(1.5 / 6), 12);
    expect(rewards["rewards/exact/mean"]).toBeCloseTo(0.5, 12);
    expect(rewards.unscorable_ratio).toBe(1 / 8);
  });
  it("split groups into all right, all wrong and mixed", () => {
    expect(rewards).toMatchObject({
      "groups/all_right": 0.25,
      "groups/all_wrong": 0.5,
      "groups/mixed": 0.25,
      frac_reward_zero_std: 0.75,
      success_rate: 0.375,
    });
    expect(rewards["reward/group_std"]).toBeCloseTo(Math.SQRT1_2 / 4, 12);
  });
  it("stand for nothing where there is nothing", () => {
    expect(written((into) => rewardMetrics({ rewards_Q: [], parts_Q: [], success_Q: [], groupOf_Q: [] }, into))).toEqual({
      unscorable_ratio: 0,
    });
  });
});

describe("completion metrics", () => {
  it("tell finished completions from cut ones", () => {
    expect(written((into) => completionMetrics([2, 4, 8, 8], [true, true, false, true], into))).toEqual({
      "completions/mean_length": 5.5,
      "completions/min_length": 2,
      "completions/max_length": 8,
      "completions/mean_terminated_length": 14 / 3,
      "completions/min_terminated_length": 2,
      "completions/max_terminated_length": 8,
      "completions/clipped_ratio": 0.25,
    });
  });
  it("give no finished length when all were cut", () =>
    expect(Object.keys(written((into) => completionMetrics([3], [false], into)))).toHaveLength(4));
});

describe("token metrics", () => {
  it("look at trained tokens only", () => {
    const metrics = written((into) => samplingMetrics([-1, -2, -9], [-1.5, -1.75, 0], [1, 1, 0], into));
    expect(metrics["sampling/sampling_logp_difference/mean"]).toBeCloseTo(0.375, 12);
    expect(metrics["sampling/sampling_logp_difference/max"]).toBeCloseTo(0.5, 12);
    expect(metrics["sampling/importance_sampling_ratio/min"]).toBeCloseTo(Math.exp(-0.25), 12);
    expect(written((into) => advantageMetrics([1, -1, 99], [1, 1, 0], into))).toEqual({
      "advantages/mean": 0,
      "advantages/std": Math.SQRT2,
      "advantages/min": -1,
      "advantages/max": 1,
    });
    expect(written((into) => advantageMetrics([1], [0], into))).toEqual({});
  });

  it("estimate how far an update moved the policy, over trained tokens: exactly for a coin whose odds it shifts", () => {
    // Heads at 1/2 before and 3/4 after, seen once each: KL(before, after) = 1/2 ln(2/3) + 1/2 ln 2.
    const before = [Math.log(0.5), Math.log(0.5), 0];
    const after = [Math.log(0.75), Math.log(0.25), -9];
    const exact = 0.5 * Math.log(0.5 / 0.75) + 0.5 * Math.log(0.5 / 0.25);
    expect(updateMetrics(after, before, [1, 1, 0])["update/kl"]).toBeCloseTo(exact, 12);
    expect(updateMetrics([-1], [-1], [0])).toEqual({});
  });
  it("explain all variance with perfect values, none with a constant, and are silent without variance", () => {
    const returns = [1, 2, 3, 50];
    const explained = (values: readonly number[], of: readonly number[] = returns) =>
      written((into) => valueMetrics(values, of, [1, 1, 1, 0], into))["value/explained_variance"];
    expect(explained(returns)).toBe(1);
    expect(explained([7, 7, 7, 7])).toBeCloseTo(0, 12);
    expect(explained([3, 2, 1, 0])).toBeCloseTo(-3, 12);
    expect(explained([1, 2, 3, 4], [1, 1, 1, 1])).toBeUndefined();
  });
});

it("figures of environments are averaged over the conversations that have them", () => {
  expect(envMetrics([{ turns: 2, cost: 3 }, { turns: 5 }, undefined])).toEqual({ "env/turns": 3.5, "env/cost": 3 });
  expect(envMetrics([undefined])).toEqual({});
});

describe("metrics of any batch", () => {
  const remarkOn = (metrics: Record<string, number>) =>
    oddRemark({ steps: [{ step: 1, metrics }], evaluations: [], baselines: [], probes: [] });
  const shares = (metrics: Record<string, number>, names: readonly string[]) => names.map((name) => metrics[name]!);

  it("are shares of groups and answers that leave 0 to 1 by no rounding and come to 1", () => {
    // Often without a mixed group, of which nothing but rounding could then be left.
    const kinds = fc
      .constantFrom(["right", "wrong"] as const, ["right", "wrong", "mixed"] as const)
      .chain((some) => fc.array(fc.constantFrom(...some), { minLength: 1, maxLength: 16 }));
    fc.assert(
      fc.property(kinds, fc.array(fc.boolean(), { minLength: 1 }), (kinds, terminated_Q) => {
        const success_Q = kinds.flatMap((kind) => [kind === "right", kind !== "wrong"]);
        const rewards_Q = success_Q.map((isRight, q) => (q % 5 === 4 ? null : isRight ? 0.1 : -0.3));
        const parts_Q = rewards_Q.map((value) => [{ name: "own", value, weight: 1 }]);
        const groupOf_Q = success_Q.map((_, q) => q >> 1);
        const metrics = written((into) => rewardMetrics({ rewards_Q, parts_Q, success_Q, groupOf_Q }, into));
        completionMetrics(
          terminated_Q.map((_, q) => 1 + ((q * 7) % 10)),
          terminated_Q,
          metrics,
        );
        const groups = shares(metrics, ["groups/all_right", "groups/all_wrong", "groups/mixed"]);
        const others = shares(metrics, ["unscorable_ratio", "success_rate", "frac_reward_zero_std", "completions/clipped_ratio"]);
        for (const share of [...groups, ...others]) expect(share >= 0 && share <= 1).toBe(true);
        expect(metrics["groups/mixed"]! * kinds.length).toBeCloseTo(kinds.filter((kind) => kind === "mixed").length, 12);
        expect(remarkOn(metrics)).toBeNull();
      }),
      { seed: 3 },
    );
  });

  it("have clip shares of which mean and extremes are over the same sequences, whichever of them are trained", () => {
    const masks = fc.array(fc.constantFrom("all", "none", "some"), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.nat(1_000_000), masks, fc.constantFrom("token" as const, "sequence" as const), (seed, kinds, ratioLevel) => {
        const config = runConfigSchema.parse({ task: "digit-sum", surrogate: "clip", ratioLevel, clipLow: 0, clipHigh: 0.1 });
        const batch = randomBatch(seed, kinds.length, false);
        const start = (q: number) => batch.sequenceStart_Q[q]!;
        const mask_K = Uint8Array.from(batch.mask_K);
        for (const [q, kind] of kinds.entries()) if (kind !== "some") mask_K.fill(kind === "all" ? 1 : 0, start(q), start(q + 1));
        const advantages_K = Float64Array.from(batch.advantages_K, (value) => -Math.abs(value));
        const { sums } = tokenObjective(withTotals({ ...batch, mask_K, advantages_K }, config), config);
        const metrics = written((into) => lossMetrics(sums, config, 1, into));
        fc.pre(sums.tokens > 0);
        expect(remarkOn(metrics)).toBeNull();
        const trained = kinds.filter((_, q) => mask_K.slice(start(q), start(q + 1)).includes(1));
        if (ratioLevel === "sequence") expect(sums.ratios).toBe(trained.length);
      }),
      { seed: 4 },
    );
  });
});
