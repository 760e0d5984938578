import { describe, expect, it } from "vitest";
import { splitProblems } from "../../../src/rl/data/splitProblems.ts";

const split = (seed: number, range = 1000) =>
  splitProblems<{ readonly n: number; readonly way: number }>(
    {
      label: "numbers",
      draw: (random) => ({ n: random.below(range), way: random.below(2) }),
      key: ({ n }) => String(n),
      pose: ({ n }) => ({ messages: [{ role: "user", content: String(n) }], answer: String(n) }),
    },
    seed,
  );

describe("problems that are split", () => {
  it("never train on what any seed evaluates, however it is asked", () => {
    const evaluated = new Set(
      [0, 1, 2].flatMap((seed) =>
        split(seed)
          .evaluation(100)
          .map(({ answer }) => answer),
      ),
    );
    expect(evaluated.size).toBeGreaterThan(90);
    for (const { answer } of split(9).trainLoader().next(2000)) expect(evaluated.has(answer)).toBe(false);
  });

  it("are all different in evaluation, as many as asked for or as there are", () => {
    const keys = (count: number, range: number) =>
      split(4, range)
        .evaluation(count)
        .map(({ answer }) => answer);
    expect(new Set(keys(64, 1000)).size).toBe(64);
    const few = keys(64, 40);
    expect(few.length).toBeGreaterThan(0);
    expect(few.length).toBeLessThan(20);
    expect(new Set(few).size).toBe(few.length);
  });

  it("can be read back from their examples", () => {
    const { trainLoader, problemOf } = split(7);
    for (const example of trainLoader().next(50)) expect(String(problemOf(example).n)).toBe(example.answer);
  });
});
