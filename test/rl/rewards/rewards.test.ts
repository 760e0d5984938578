import { describe, expect, it } from "vitest";
import { boxedAnswer } from "../../../src/rl/rewards/boxedAnswer.ts";
import { boxedForm } from "../../../src/rl/rewards/boxedForm.ts";
import { sumCloseness } from "../../../src/rl/rewards/sumCloseness.ts";
import { weightedReward } from "../../../src/rl/rewards/weightedReward.ts";
import type { Example, RewardPart } from "../../../src/rl/types.ts";
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
    weightedReward({ rewards: parts, isSuccess: () => true }, weights).score(example, answered(example, ""));

  it("adds weighted parts and keeps each by name", () => {
    const verdict = judge([constant("a", 1, 1), constant("b", 0.5, 2)], { b: -1 });
    expect(verdict.total).toBe(0.5);
    expect(verdict.parts).toEqual([
      { name: "a", value: 1, weight: 1 },
      { name: "b", value: 0.5, weight: -1 },
    ]);
    expect(verdict.success).toBe(true);
  });

  it("leaves out parts that cannot judge and has no total when none can", () => {
    expect(judge([constant("a", null, 1), constant("b", 0.5, 2)]).total).toBe(1);
    expect(judge([constant("a", null, 1), constant("b", null, 2)]).total).toBeNull();
    expect(judge([]).total).toBeNull();
  });

  it("does not let a metric of weight 0 stand in for a part that cannot judge", () => {
    expect(judge([constant("a", null, 1), constant("metric", 1, 0)]).total).toBeNull();
    expect(judge([constant("a", 1, 0), constant("metric", 1, 0)]).total).toBe(0);
  });

  it("refuses a part that is not a finite number", () => {
    expect(() => judge([constant("a", Number.NaN, 1)])).toThrow("reward part a must be finite, got NaN");
  });
});
