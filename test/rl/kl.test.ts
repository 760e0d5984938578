import { describe, expect, it } from "vitest";
import { klGradient, klValue } from "../../src/rl/kl/index.ts";
import { Random } from "../../src/rl/random.ts";

const random = new Random(5);
const logits = Float64Array.from({ length: 9 }, () => 2 * random.normal());
const refLogits = Float64Array.from({ length: 9 }, () => 2 * random.normal());
const softmax = (row: Float64Array) => {
  const weights = row.map(Math.exp);
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
};

const p = softmax(logits);
const q = softmax(refLogits);
/** Σ p (log p - log q), and its gradient p (log p - log q - KL) by the logits. */
const exactKl = p.reduce((sum, value, v) => sum + value * Math.log(value / q[v]!), 0);
const exactGradient = p.map((value, v) => value * (Math.log(value / q[v]!) - exactKl));

describe("KL between policy and reference", () => {
  it.each(["k1", "k3"] as const)("has %s as an unbiased estimate", (estimator) => {
    const mean = p.reduce((sum, value, v) => sum + value * klValue(estimator, Math.log(value), Math.log(q[v]!)), 0);
    expect(mean).toBeCloseTo(exactKl, 12);
  });

  it("has the straight-through gradient as an unbiased one: E[d · ∇log p] is the gradient of the KL", () => {
    for (let v = 0; v < 9; v++) {
      const expected = p.reduce(
        (sum, value, u) => sum + value * klGradient("k3+", Math.log(value), Math.log(q[u]!)) * ((u === v ? 1 : 0) - p[v]!),
        0,
      );
      expect(exactGradient[v]).toBeCloseTo(expected, 12);
    }
  });
});
