// Signatures that no public thread of ours has: what they speak of, and what is close to it and sound.
import { describe, expect, it } from "vitest";
import { judgeLog } from "../../../src/rl/logs/judgeLog.ts";
import { readLogText } from "../../../src/rl/logs/readLog.ts";

/** Ten steps of a log in JSON lines: what is said of each step, beside numbers that are sound. */
function namedOf(row: (step: number) => Readonly<Record<string, number>>): readonly string[] {
  const lines = Array.from({ length: 10 }, (_, i) =>
    JSON.stringify({ step: i + 1, reward: 0.31 + 0.021 * i, reward_std: 0.41, loss: 0.0123, grad_norm: 0.2317, ...row(i) }),
  );
  return judgeLog(readLogText(lines.join("\n"))).named.map(({ id }) => id);
}

describe("a log", () => {
  it("whose KL is negative step by step has that named, one whose KL is near 0 on both sides has not", () => {
    expect(namedOf((i) => ({ kl: -0.05 - 0.002 * i }))[0]).toBe("kl-negative");
    expect(namedOf((i) => ({ kl: i % 2 === 0 ? 0.012 : -0.006 }))).not.toContain("kl-negative");
  });

  it("whose learning rate is 0 throughout has that named, one that warms up from 0 or prints three decimals has not", () => {
    const still = (i: number) => ({ reward: 0.3017 + 0.011 * (i % 3) });
    expect(namedOf((i) => ({ ...still(i), learning_rate: 0 }))[0]).toBe("rate-is-zero");
    expect(namedOf((i) => ({ ...still(i), learning_rate: i * 1e-6 }))).not.toContain("rate-is-zero");
    expect(namedOf(() => ({ learning_rate: 0, loss: 0.012, grad_norm: 0.232, reward: 0.3 }))).not.toContain("rate-is-zero");
  });

  it("whose answers shrink without earning more has that named, one that earns more by it has not", () => {
    const shrinking = (i: number) => ({ "completions/mean_length": 400 - 40 * i });
    expect(namedOf((i) => ({ ...shrinking(i), reward: 0.5 - 0.02 * i }))[0]).toBe("length-collapse");
    expect(namedOf(shrinking)).not.toContain("length-collapse");
  });
});
