import { describe, expect, it } from "vitest";
import { completionMetrics } from "../../src/rl/metrics/completionMetrics.ts";
import { envMetrics, rewardMetrics } from "../../src/rl/metrics/rewardMetrics.ts";
import { advantageMetrics, samplingMetrics, updateMetrics, valueMetrics } from "../../src/rl/metrics/tokenMetrics.ts";

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
