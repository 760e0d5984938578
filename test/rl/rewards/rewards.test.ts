import { describe, expect, it } from "vitest";
import { boxedAnswer, boxedForm } from "../../../src/rl/rewards/boxedAnswer.ts";
import { reaches } from "../../../src/rl/rewards/combineParts.ts";
import { sumCloseness } from "../../../src/rl/rewards/sumCloseness.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import type { Example, RewardPart } from "../../../src/rl/types.ts";
import { scoreOne } from "../../support/scoring.ts";
import { answered } from "../trajectoryFixture.ts";

const r = String.raw;
const rewardRules = [boxedAnswer, boxedForm, sumCloseness];
const example: Example = { id: "e", messages: [{ role: "user", content: "?" }], answer: "18" };
const parts = {
  boxedAnswer: boxedAnswer.part(),
  boxedForm: boxedForm.part(),
  sumCloseness: sumCloseness.part({ lengthOf: () => 4, scale: 2 }),
};
const score = (name: keyof typeof parts, content: string) => parts[name].score(example, answered(example, content));

describe("reward rules", () => {
  it("have different names, and a title and a help text each", () => {
    expect(new Set(rewardRules.map(({ name }) => name)).size).toBe(rewardRules.length);
    for (const rule of rewardRules) expect(rule.title.length * rule.help.length).toBeGreaterThan(0);
  });

  it.each([
    ["9900", 1],
    ["9990", Math.exp(-4.5)],
    ["9800", Math.exp(-0.5)],
    ["0000", Math.exp(-9)],
    ["990", 0],
    ["99000", 0],
    ["99<begin>0", 0],
    ["9 90", 0],
    ["", 0],
    ["٩٩00", 0],
  ])("sumCloseness of %j against 18 is %d", (content, expected) => expect(score("sumCloseness", content)).toBeCloseTo(expected, 12));

  it("sumCloseness follows its scale", () => {
    const steep = sumCloseness.part({ lengthOf: () => 4, scale: 0.5 });
    expect(steep.score(example, answered(example, "9800"))).toBeCloseTo(Math.exp(-2), 12);
  });

  it.each([
    [r`\boxed{18}`, 1],
    [r`9 + 9 = 18, so \boxed{18.0}.`, 1],
    [r`\boxed{17} \boxed{18}`, 1],
    [r`\boxed{18} \boxed{17}`, 0],
    ["18", 0],
    [r`\boxed{18`, 0],
    [r`\boxed{}`, 0],
    ["", 0],
  ])("boxedAnswer of %j against 18 is %d", (content, expected) => expect(score("boxedAnswer", content)).toBe(expected));

  it.each([
    [r`\boxed{17}`, 1],
    [r`\boxed{seventeen}`, 0],
    ["17", 0],
    [r`\boxed{17`, 0],
  ])("boxedForm of %j is %d", (content, expected) => expect(score("boxedForm", content)).toBe(expected));

  it("boxedForm needs the answer to end by itself", () => {
    expect(parts.boxedForm.score(example, answered(example, r`\boxed{1}`, "max-tokens"))).toBe(0);
  });
});

describe("weightedReward", () => {
  const constant = (name: string, value: number | null, weight: number): RewardPart => ({
    name,
    title: name,
    help: name,
    weight,
    score: () => value,
  });
  const judge = (parts: readonly RewardPart[], weights: Record<string, number> = {}) =>
    scoreOne(weightedReward({ rewards: parts, isSuccess: () => true }, weights), example, answered(example, ""));

  it("adds weighted parts and keeps each by name", async () => {
    const verdict = await judge([constant("a", 1, 1), constant("b", 0.5, 2)], { b: -1 });
    expect(verdict.total).toBe(0.5);
    expect(verdict.parts).toEqual([
      { name: "a", value: 1, weight: 1 },
      { name: "b", value: 0.5, weight: -1 },
    ]);
    expect(verdict.success).toBe(true);
  });

  it("leaves out parts that cannot judge and has no total when none can", async () => {
    expect((await judge([constant("a", null, 1), constant("b", 0.5, 2)])).total).toBe(1);
    expect((await judge([constant("a", null, 1), constant("b", null, 2)])).total).toBeNull();
    expect((await judge([])).total).toBeNull();
  });

  it("does not let a metric of weight 0 stand in for a part that cannot judge", async () => {
    expect((await judge([constant("a", null, 1), constant("metric", 1, 0)])).total).toBeNull();
    expect((await judge([constant("a", 1, 0), constant("metric", 1, 0)])).total).toBe(0);
  });

  it.each([
    ["is not finite", () => Number.NaN, "must be a finite number, got NaN"],
    ["is beyond what sums and squares can hold", () => 1e308, "must lie within ±1000000000, got 1e+308"],
    [
      "throws",
      () => {
        throw new TypeError("no answer");
      },
      "TypeError: no answer",
    ],
  ])("has no verdict, with its reason, of a part that %s", async (_, score, reason) => {
    const { total, parts } = await judge([constant("a", 0.5, 1), { ...constant("b", 0, 1), score }]);
    expect(total).toBe(0.5);
    expect(parts[1]).toEqual({ name: "b", value: null, reason, weight: 1 });
  });

  it("asks a part that takes many once for all conversations, and goes on without what fails", async () => {
    const asked: number[] = [];
    const part: RewardPart = {
      ...{ name: "far", title: "far", help: "far", weight: 1 },
      async scoreBatch(rollouts) {
        asked.push(rollouts.length);
        return rollouts.map((_, i) => (i === 1 ? { reason: "took longer than 5 ms" } : i));
      },
    };
    const rewards = weightedReward({ rewards: [part, constant("near", 1, 1)], isSuccess: () => true }, {});
    const rollouts = ["a", "b", "c"].map((text) => ({ example, trajectory: answered(example, text) }));
    const verdicts = await rewards.scoreBatch(rollouts, { maxCompletionTokens: 1, overlongBuffer: 0 });
    expect(asked).toEqual([3]);
    expect(verdicts.map(({ total }) => total)).toEqual([1, 1, 3]);
    expect(verdicts[1]!.parts[0]).toEqual({ name: "far", value: null, reason: "took longer than 5 ms", weight: 1 });
  });

  it("does not wait for ever for a part that judges elsewhere", async () => {
    const part: RewardPart = { ...{ name: "far", title: "far", help: "far", weight: 1 }, scoreBatch: () => new Promise(() => {}) };
    const patience = { limitMs: 7, sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
    const rewards = weightedReward({ rewards: [part], isSuccess: () => true }, {}, undefined, patience);
    expect((await scoreOne(rewards, example, answered(example, ""))).parts[0]!.reason).toBe("took longer than 7 ms");
  });

  it("bounds the total with the overlong punishment in it", async () => {
    const rewards = weightedReward({ rewards: [constant("a", -3, 1)], isSuccess: () => true }, {}, { gates: {}, clip: 1 });
    const trajectory = { ...answered(example, ""), mask: [1, 1, 1, 1] };
    const { total, parts } = await scoreOne(rewards, example, trajectory, { maxCompletionTokens: 4, overlongBuffer: 2 });
    expect(parts[1]).toEqual({ name: "overlong", value: -1, weight: 1 });
    expect(total).toBe(-1);
  });
});

describe("a reward from which on a conversation is right", () => {
  it("is reached by a sum that falls short of it by rounding alone", () => {
    expect(0.3 + 0.4 + 0.2 + 0.1).toBeLessThan(1);
    expect(reaches(0.3 + 0.4 + 0.2 + 0.1, 1)).toBe(true);
    expect(reaches(0.999, 1)).toBe(false);
    expect(reaches(-1e6, -1e6)).toBe(true);
  });
});
