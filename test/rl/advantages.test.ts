// Advantages where the reference numbers do not reach: missing rewards, holes, KL in the reward.
import { describe, expect, it } from "vitest";
import { type RunConfigInput, runConfigSchema } from "../../src/protocol/config.ts";
import type { AdvantageInput } from "../../src/rl/advantage/types.ts";
import { computeAdvantages } from "../../src/rl/advantages.ts";
import { algorithms } from "../../src/rl/algorithms/index.ts";

const config = (switches: RunConfigInput) => runConfigSchema.parse(switches);

/** Four completions of two tokens in two groups. */
function batch(rewards_Q: AdvantageInput["rewards_Q"], extra: Partial<AdvantageInput> = {}): AdvantageInput {
  const K = rewards_Q.length * 2;
  return {
    rewards_Q,
    groupOf_Q: Int32Array.from(rewards_Q, (_, q) => Math.floor(q / (rewards_Q.length / 2))),
    tokenCount_Q: rewards_Q.map(() => 2),
    sequenceStart_Q: Int32Array.from({ length: rewards_Q.length + 1 }, (_, q) => 2 * q),
    mask_K: new Uint8Array(K).fill(1),
    oldLogprobs_K: new Float64Array(K),
    refLogprobs_K: null,
    values_K: null,
    ...extra,
  };
}

describe("rewards that are missing", () => {
  it.each(["group-mean", "leave-one-out", "length-weighted", "batch-mean"] as const)("count in no statistic (%s)", (advantageBaseline) => {
    const switches = config({ advantageBaseline, advantageScale: "none" });
    const withHole = computeAdvantages(batch([1, null, 0, 1, 0, 0]), switches);
    const without = computeAdvantages({ ...batch([1, 0, 1, 0, 0]), groupOf_Q: Int32Array.of(0, 0, 1, 1, 1) }, switches);
    expect(withHole.advantages_Q[1]).toBe(0);
    expect(Array.from(withHole.advantages_Q).filter((_, q) => q !== 1)).toEqual(Array.from(without.advantages_Q));
    expect(Array.from(withHole.advantages_K.subarray(2, 4))).toEqual([0, 0]);
  });

  it("leave a completion alone in its group with nothing to compare with", () => {
    const result = computeAdvantages(batch([1, null, 0, 1]), config({ advantageScale: "group-std" }));
    expect(result.zeroSpread_P).toEqual([true, false]);
    expect(result.advantages_Q[0]).toBe(0);
  });

  it("stay at 0 through whitening and do not move the others", () => {
    const switches = config({ advantageBaseline: "none", advantageScale: "none", whitenAdvantages: true });
    const result = computeAdvantages(batch([3, null, 1, 2]), switches);
    expect(result.advantages_Q[1]).toBe(0);
    const rest = [0, 2, 3].map((q) => result.advantages_Q[q]!);
    expect(rest[0]! + rest[1]! + rest[2]!).toBeCloseTo(0, 12);
    expect(rest[0]!).toBeGreaterThan(0);
  });

  it("teach the critic nothing, whatever follows where they were cut off", () => {
    const values_K = Float64Array.of(0.5, 0.25, 0.75, 0.5, 0.1, 0.2, 0.3, 0.4);
    const bootstrap_Q = Float64Array.of(0, 9, 0, 0);
    const result = computeAdvantages(batch([1, null, 0, 1], { values_K, bootstrap_Q }), config({ advantageBaseline: "critic" }));
    expect(Array.from(result.returns_K!.subarray(2, 4))).toEqual([0.75, 0.5]);
  });

  it("teach the critic nothing: the target is what it said", () => {
    const values_K = Float64Array.of(0.1, 0.2, 0.3, 0.4, 0, 0, 0, 0);
    const result = computeAdvantages(batch([1, null, 0, 1], { values_K }), config({ advantageBaseline: "critic" }));
    expect(Array.from(result.returns_K!.subarray(2, 4))).toEqual([0.3, 0.4]);
    expect(Array.from(result.advantages_K.subarray(2, 4))).toEqual([0, 0]);
  });

  it("may all be missing", () => {
    const result = computeAdvantages(batch([null, null, null, null]), config({ advantageScale: "batch-std", whitenAdvantages: true }));
    expect(Array.from(result.advantages_K)).toEqual(new Array(8).fill(0));
    expect(result.zeroSpread_P).toEqual([true, true]);
  });

  it("of one part leave the other parts in place", () => {
    const part = (name: string, value: number | null) => ({ name, value, weight: 1 });
    const parts_Q = [
      [part("a", 1), part("b", null)],
      [part("a", 0), part("b", null)],
      [part("a", null), part("b", 2)],
      [part("a", null), part("b", 4)],
    ];
    const switches = config({ rewardAggregation: "normalize-then-sum", advantageEps: 0 });
    const { advantages_Q } = computeAdvantages(batch([1, 0, 2, 4], { parts_Q }), switches);
    // Each part is ±1/√2 in its group, so all four have the same size.
    expect(advantages_Q[0]).toBeCloseTo(-advantages_Q[1]!, 12);
    expect(advantages_Q[3]).toBeCloseTo(advantages_Q[0]!, 12);
  });
});

describe("rounding", () => {
  it("does not make equal rewards different", () => {
    // The mean of seven times 0.3 is not 0.3.
    const rewards = [...new Array<number>(7).fill(0.3), ...new Array<number>(7).fill(0.1)];
    for (const advantageBaseline of ["group-mean", "leave-one-out", "length-weighted"] as const) {
      const switches = config({ advantageBaseline, advantageScale: "group-std", advantageEps: 1e-8 });
      expect(Array.from(computeAdvantages(batch(rewards), switches).advantages_Q, Math.abs)).toEqual(new Array(14).fill(0));
    }
  });

  it("is all there is to whiten in a single token, which stays as it is", () => {
    const input = { ...batch([0, 0.7]), mask_K: Uint8Array.of(0, 0, 0, 1) };
    const switches = config({ advantageBaseline: "none", advantageScale: "none", whitenAdvantages: true });
    expect(Array.from(computeAdvantages(input, switches).advantages_K)).toEqual([0, 0, 0, 0.7]);
  });
});

describe("credit over turns", () => {
  it("crosses the tokens of a tool reply without being discounted by them", () => {
    // One completion: two sampled tokens, two of a tool, two sampled.
    const input: AdvantageInput = {
      ...batch([0, 0]),
      rewards_Q: [1],
      groupOf_Q: Int32Array.of(0),
      sequenceStart_Q: Int32Array.of(0, 6),
      mask_K: Uint8Array.of(1, 1, 0, 0, 1, 1),
      oldLogprobs_K: new Float64Array(6),
    };
    const result = computeAdvantages(input, config({ advantageBaseline: "none", advantageScale: "none", discount: 0.5 }));
    expect(Array.from(result.advantages_K)).toEqual([0.125, 0.25, 0, 0, 0.5, 1]);
    expect(result.advantages_Q[0]).toBe(1.875 / 4);
  });

  it("reaches the last trained token when a tool has the last word", () => {
    const input = batch([1, 0], { mask_K: Uint8Array.of(1, 0, 1, 1), groupOf_Q: Int32Array.of(0, 0), oldLogprobs_K: new Float64Array(4) });
    const result = computeAdvantages(input, config({ advantageScale: "none" }));
    expect(Array.from(result.advantages_K)).toEqual([0.5, 0, -0.5, -0.5]);
  });
});

describe("KL in the reward", () => {
  const refLogprobs_K = Float64Array.of(-0.1, 0, -0.2, 0, 0, 0, 0, -0.3);
  const kl = { klPlacement: "reward", klEstimator: "k1", klCoef: 2 } as const;

  it("is summed over a completion before it is compared with its group", () => {
    const result = computeAdvantages(batch([1, 0, 1, 1], { refLogprobs_K }), config({ ...kl, advantageScale: "none" }));
    // Totals 0.8, -0.4, 1, 0.4.
    expect(Array.from(result.advantages_Q, (value) => Number(value.toFixed(12)))).toEqual([0.6, -0.6, 0.3, -0.3]);
    expect(result.zeroSpread_P).toEqual([false, true]);
  });

  it("is felt by the tokens up to it where there is no baseline", () => {
    const switches = config({ ...kl, advantageBaseline: "none", advantageScale: "none" });
    const { advantages_K } = computeAdvantages(batch([1, 0, 1, 1], { refLogprobs_K }), switches);
    expect(Array.from(advantages_K, (value) => Number(value.toFixed(12)))).toEqual([0.8, 1, -0.4, 0, 1, 1, 0.4, 0.4]);
  });

  it("needs reference log-probs", () =>
    expect(() => computeAdvantages(batch([1, 0]), config(kl))).toThrow("internal: a KL in the reward needs"));
});

describe("leave-one-out", () => {
  it("is the reward minus the mean of the others", () => {
    const { advantages_Q } = computeAdvantages(
      batch([1, 4, 2, 0, 0, 3]),
      config({ advantageBaseline: "leave-one-out", advantageScale: "none" }),
    );
    expect(Array.from(advantages_Q, (value) => Number(value.toFixed(12)))).toEqual([1 - 3, 4 - 1.5, 2 - 2.5, -1.5, -1.5, 3]);
  });
});

describe("the terms of an advantage", () => {
  const oldLogprobs_K = Float64Array.from({ length: 12 }, (_, k) => -0.2 - 0.1 * (k % 5));
  const numbers = {
    oldLogprobs_K,
    refLogprobs_K: oldLogprobs_K.map((value, k) => value - 0.05 * ((k % 3) - 1)),
    values_K: oldLogprobs_K.map((_, k) => 0.3 + 0.04 * k),
    parts_Q: [1, 0, 0.5, 2, null, 1].map((value) => [
      { name: "a", value, weight: 1 },
      { name: "b", value: value === null ? null : 1 - value, weight: 0.5 },
    ]),
  };
  const rewards = [1, 0, 0.25, 2, null, 1];
  const switches: readonly (readonly [string, RunConfigInput])[] = [
    ...algorithms.map(({ title, config: of }) => [title, of] as const),
    ["a discount", { discount: 0.5 }],
    ["normalised parts", { rewardAggregation: "normalize-then-sum" }],
    ["a scale without baseline", { advantageBaseline: "none", advantageScale: "batch-std", klCoef: 0.1, klPlacement: "reward" }],
  ];

  it.each(switches)("give it by one formula under %s", (_, of) => {
    const { advantages_Q, terms } = computeAdvantages(batch(rewards, numbers), config(of));
    if (!terms) throw new Error("completions have terms");
    const { from_Q, baseline_Q, scale_Q, fade_Q, shift, spread } = terms;
    for (const [q, advantage] of advantages_Q.entries()) {
      if (rewards[q] === null) expect(from_Q[q]).toBeNaN();
      else expect(((from_Q[q]! - baseline_Q[q]!) / scale_Q[q]!) * fade_Q[q]! - shift).toBeCloseTo(advantage * spread, 10);
    }
  });

  it("are the group's mean and deviation in GRPO, and the mean of the others in RLOO", () => {
    const grpo = computeAdvantages(batch([1, 0, 0, 0, 1, 1, 0, 0]), config({ advantageEps: 0 })).terms!;
    expect(grpo.baseline_Q[0]).toBeCloseTo(0.25, 12);
    expect(grpo.scale_Q[0]).toBeCloseTo(0.5, 12);
    const rloo = computeAdvantages(batch([1, 0, 0, 0, 1, 1, 0, 0]), config({ advantageBaseline: "leave-one-out", advantageScale: "none" }));
    expect(Array.from(rloo.terms!.baseline_Q).slice(0, 5)).toEqual(
      [0, 1 / 3, 1 / 3, 1 / 3, 1 / 3].map((value) => expect.closeTo(value, 12)),
    );
  });
});

describe("a completion that a limit cut off", () => {
  // What follows its end is one more token of that value and no reward of its own, which a naive loop walks back over.
  it("has the advantages of one that went on to the value of where it stopped", () => {
    const [discount, gaeLambda] = [0.9, 0.8];
    const values_K = Float64Array.of(0.5, 0.25, 0.75, -0.5, 0.1, 0.2, 0.3, 0.4);
    const bootstrap_Q = Float64Array.of(0.6, 0, -0.7, 0);
    const rewards = [1, 0, 0.5, 1];
    const switches = config({ advantageBaseline: "critic", discount, gaeLambda });
    const found = computeAdvantages(batch(rewards, { values_K, bootstrap_Q }), switches);
    for (const [q, reward] of rewards.entries()) {
      const [first, second] = [values_K[2 * q]!, values_K[2 * q + 1]!];
      const last = reward + discount * bootstrap_Q[q]! - second;
      const before = discount * second - first + discount * gaeLambda * last;
      expect(found.advantages_K[2 * q + 1]).toBeCloseTo(last, 12);
      expect(found.advantages_K[2 * q]).toBeCloseTo(before, 12);
      expect(found.returns_K![2 * q]).toBeCloseTo(before + first, 12);
    }
  });

  it("has it at its last trained token, and none where it trains nothing", () => {
    const values_K = new Float64Array(8);
    const switches = config({ advantageBaseline: "critic", discount: 1, gaeLambda: 1 });
    const mask_K = Uint8Array.of(1, 0, 0, 0, 1, 1, 1, 1);
    const found = computeAdvantages(batch([0, 0, 0, 0], { values_K, mask_K, bootstrap_Q: [2, 2, 0, 0] }), switches);
    expect(Array.from(found.advantages_K)).toEqual([2, 0, 0, 0, 0, 0, 0, 0]);
  });
});
