import { describe, expect, it } from "vitest";
import { exactMatch, normalizedWords, tokenF1 } from "../../../../src/rl/rewards/match/textMatch.ts";
import { hasTagged, lastTagged } from "../../../../src/rl/rewards/taggedAnswer.ts";

describe("exact match and token F1", () => {
  it.each([
    ["The Eiffel Tower.", "eiffel tower", 1, 1],
    ["Paris", "London", 0, 0],
    ["Paris, France", "paris", 0, 2 / 3],
    ["a b b", "b b c", 0, 0.8],
    ["1,000", "1000", 1, 1],
    ["", "", 1, 1],
    ["", "x", 0, 0],
    ["the", "a", 1, 1],
    ["U.S.A.", "usa", 1, 1],
  ])("%j against %j: %d and %d", (answer, gold, em, f1) => {
    expect(exactMatch(answer, gold)).toBe(em);
    expect(tokenF1(answer, gold)).toBeCloseTo(f1, 12);
    expect(tokenF1(gold, answer)).toBeCloseTo(f1, 12);
  });

  it("keep articles inside words", () => expect(normalizedWords("Theatre an and")).toEqual(["theatre", "and"]));
});

describe("an answer between tags", () => {
  it.each([
    ["<answer> 12 </answer>", "12"],
    ["<answer>1</answer> no: <answer>2</answer>", "2"],
    ["<answer>open", null],
    ["</answer> <answer>", null],
    ["<answer></answer>", ""],
    ["<answer>a <answer>b</answer>", "b"],
    ["", null],
  ])("%j is read as %j", (text, answer) => {
    expect(lastTagged(text)).toBe(answer);
    expect(hasTagged(text)).toBe(Boolean(answer));
  });
});
