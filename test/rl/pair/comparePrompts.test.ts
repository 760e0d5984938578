// Two runs on the same prompts, against sums that were done by hand.
import { describe, expect, it } from "vitest";
import type { PairQuery } from "../../../src/protocol/rollouts/runPair.ts";
import { comparePrompts } from "../../../src/rl/pair/comparePrompts.ts";
import { listPrompts } from "../../../src/rl/pair/listPrompts.ts";
import type { AnswerFacts } from "../../../src/rl/pair/pairMeasures.ts";
import { type AskedRun, chosenSteps } from "../../../src/rl/pair/pairSteps.ts";

/** Rewards of prompts by name, each at its steps. */
function run(rewards: Readonly<Record<string, Readonly<Record<number, readonly (number | null)[]>>>>): AskedRun {
  const answersOf = (steps: Readonly<Record<number, readonly (number | null)[]>>) =>
    Object.entries(steps).flatMap(([step, values]) =>
      values.map(
        (reward, i): AnswerFacts => ({
          ...{ step: Number(step), promptIndex: 0, reward, length: 10 * (i + 1), success: null, parts: [] },
          stopReason: i === 0 ? "max-tokens" : "completed",
        }),
      ),
    );
  const prompts = new Map(Object.entries(rewards).map(([key, steps]) => [key, { begin: `What is ${key}?`, answers: answersOf(steps) }]));
  const steps = [...new Set([...prompts.values()].flatMap(({ answers }) => answers.map(({ step }) => step)))].sort((a, b) => a - b);
  return { steps, partNames: [], prompts };
}

const QUERY: PairQuery = {
  ...{ left: null, right: null, leftStep: null, rightStep: null, show: "both", text: "", measure: null, isDescending: true },
  ...{ from: 0, count: 10, chosen: null },
};

// Means 0.5, 0, 1 on the left and 1, 0.25, 0.75 on the right: they differ by 0.5, 0.25 and -0.25.
const LEFT = run({ a: { 1: [0, 1] }, b: { 1: [0, 0] }, c: { 1: [1, 1] }, gone: { 1: [1, 1] } });
const RIGHT = run({ a: { 1: [1, 1] }, b: { 1: [0.5, 0] }, c: { 1: [0.5, 1] }, later: { 2: [0, 0] } });

describe("two runs on the same prompts", () => {
  it("differ by the mean of the prompts' differences, with Student's interval over them", () => {
    const { measures, totals } = comparePrompts(LEFT, RIGHT, { left: 1, right: 1 });
    expect(measures.map(({ id }) => id)).toEqual(["reward", "best", "spread", "cut-off", "length"]);
    const [reward] = totals;
    expect(reward).toMatchObject({ measure: "reward", prompts: 3, moved: { rose: 2, fell: 1, same: 0 } });
    expect([reward!.left, reward!.right]).toEqual([0.5, 2 / 3]);
    expect(reward!.difference).toBeCloseTo(1 / 6, 12);
    // Differences 0.5, 0.25, -0.25: standard deviation 0.3818813, over the root of 3 0.2204793; t of 2 degrees is 4.3027, here by 4 % more.
    const half = (reward!.interval![1] - reward!.interval![0]) / 2;
    expect((reward!.interval![1] + reward!.interval![0]) / 2).toBeCloseTo(1 / 6, 12);
    expect(half / 0.2204793).toBeGreaterThan(4.3);
    expect(half / 0.2204793).toBeLessThan(4.3027 * 1.045);
  });

  it("claim no certainty where all differences are equal, or prompts are few", () => {
    const { totals } = comparePrompts(LEFT, RIGHT, { left: 1, right: 1 });
    const cutOff = totals.find(({ measure }) => measure === "cut-off")!;
    expect(cutOff).toMatchObject({
      left: 0.5,
      right: 0.5,
      difference: 0,
      interval: null,
      noInterval: "the difference is the same on all prompts",
    });
    const two = comparePrompts(run({ a: { 1: [0] }, b: { 1: [0] } }), run({ a: { 1: [1] }, b: { 1: [0] } }), { left: 1, right: 1 });
    expect(two.totals[0]).toMatchObject({ difference: 0.5, interval: null, noInterval: "it takes 3 prompts at least" });
  });

  it("leave answers without a verdict out of means, and a prompt without any out of the totals", () => {
    const { prompts, totals } = comparePrompts(run({ a: { 1: [null, 1] }, b: { 1: [null] } }), run({ a: { 1: [0, 0] }, b: { 1: [1] } }), {
      ...{ left: 1, right: 1 },
    });
    expect(prompts.map(({ values }) => values[0])).toEqual([
      { left: 1, right: 0 },
      { left: null, right: 1 },
    ]);
    expect(totals[0]).toMatchObject({ prompts: 1, left: 1, right: 0, difference: -1 });
  });

  it("are listed by the difference, by how it moved, and by what only one was asked", () => {
    const compared = comparePrompts(LEFT, RIGHT, { left: 1, right: 1 });
    const keys = (query: Partial<PairQuery>) => listPrompts(compared, { ...QUERY, ...query }).rows.map(({ key }) => key);
    expect(keys({})).toEqual(["a", "b", "c"]);
    expect(keys({ isDescending: false })).toEqual(["c", "b", "a"]);
    expect(keys({ show: "fell" })).toEqual(["c"]);
    expect(keys({ show: "left" })).toEqual(["gone"]);
    expect(keys({ text: "IS B" })).toEqual(["b"]);
    expect(keys({ from: 1, count: 1 })).toEqual(["b"]);
    // The prompt that the right one was asked at another step alone is not among those of this step.
    expect(listPrompts(compared, QUERY)).toMatchObject({
      measure: "reward",
      counts: { both: 3, rose: 2, fell: 1, same: 0, left: 1, right: 0 },
    });
    expect(() => keys({ measure: "rewards" })).toThrow(/^measure /);
  });
});

describe("the steps that are compared", () => {
  const none = { left: null, right: null };
  it("are the last one with prompts in common, and the last of each prompt where there is none", () => {
    expect(chosenSteps(LEFT, RIGHT, none)).toEqual({ left: 1, right: 1, why: "the last step that both have" });
    const longer = run({ a: { 1: [0], 2: [1] }, d: { 3: [1] } });
    const other = run({ a: { 1: [0], 2: [1] }, e: { 3: [1] } });
    expect(chosenSteps(longer, other, none)).toMatchObject({ left: 2, right: 2, why: expect.stringContaining("some of the same prompts") });
    const apart = chosenSteps(run({ a: { 1: [0], 2: [1] } }), run({ a: { 7: [1] } }), none);
    expect(apart).toMatchObject({ left: "last", right: "last", why: expect.stringContaining("no step of both") });
    const last = comparePrompts(run({ a: { 1: [0], 2: [1] } }), run({ a: { 7: [0.5] } }), { left: "last", right: "last" });
    expect(last.prompts[0]).toMatchObject({ left: { step: 2 }, right: { step: 7 }, values: [{ left: 1, right: 0.5 }, {}, {}, {}] });
  });

  it("are the same in both where one is chosen and the other run has it", () => {
    expect(chosenSteps(LEFT, RIGHT, { left: 1, right: null })).toEqual({ left: 1, right: 1, why: null });
    expect(chosenSteps(LEFT, RIGHT, { left: null, right: 2 })).toEqual({ left: "last", right: 2, why: null });
  });
});
