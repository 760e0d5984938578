import { describe, expect, it } from "vitest";
import { exactKl, klGradient, klValue } from "../../src/rl/kl.ts";
import { Random } from "../../src/rl/random.ts";

const random = new Random(5);
const logits = Float64Array.from({ length: 9 }, () => 2 * random.normal());
const refLogits = Float64Array.from({ length: 9 }, () => 2 * random.normal());
const softmax = (row: Float64Array) => {
  const weights = row.map(Math.exp);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
};

describe("KL between policy and reference", () => {
  it("is exact over a row of logits", () => {
    const p = softmax(logits);
    const q = softmax(refLogits);
    const expected = p.reduce((sum, value, v) => sum + value * Math.log(value / q[v]!), 0);
    expect(exactKl(logits, refLogits, 0, 9)).toBeCloseTo(expected, 12);
    expect(exactKl(logits, logits, 0, 9)).toBe(0);
  });

  it("has the gradient of finite differences, scaled and added", () => {
    const gradient = new Float64Array(9).fill(1);
    exactKl(logits, refLogits, 0, 9, gradient, 0.5);
    for (let v = 0; v < 9; v++) {
      const move = (by: number) =>
        exactKl(
          logits.map((value, i) => (i === v ? value + by : value)),
          refLogits,
          0,
          9,
        );
      expect(gradient[v]! - 1).toBeCloseTo((0.5 * (move(1e-6) - move(-1e-6))) / 2e-6, 7);
    }
  });

  it("reads one row out of a table", () => {
    const table = Float64Array.of(...logits, ...refLogits);
    const others = Float64Array.of(...refLogits, ...logits);
    expect(exactKl(table, others, 9, 9)).toBeCloseTo(exactKl(refLogits, logits, 0, 9), 14);
  });

  it("survives huge logits", () => expect(exactKl([1000, 0], [1000, 0], 0, 2)).toBe(0));

  it.each(["k1", "k3"] as const)("has %s as an unbiased estimate", (estimator) => {
    const p = softmax(logits);
    const q = softmax(refLogits);
    const mean = p.reduce((sum, value, v) => sum + value * klValue(estimator, Math.log(value), Math.log(q[v]!)), 0);
    expect(mean).toBeCloseTo(exactKl(logits, refLogits, 0, 9), 12);
  });

  it("has the straight-through gradient as an unbiased one: E[d · ∇log p] is the gradient of the KL", () => {
    const p = softmax(logits);
    const q = softmax(refLogits);
    const exact = new Float64Array(9);
    exactKl(logits, refLogits, 0, 9, exact);
    for (let v = 0; v < 9; v++) {
      const expected = p.reduce(
        (sum, value, u) => sum + value * klGradient("k3+", Math.log(value), Math.log(q[u]!)) * ((u === v ? 1 : 0) - p[v]!),
        0,
      );
      expect(exact[v]).toBeCloseTo(expected, 12);
    }
  });
});
