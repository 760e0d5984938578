import { describe, expect, it } from "vitest";
import {
  drawnPrompts,
  FIRST_PROMPTS,
  shownPrompts,
  trajectoryOrder,
  zeroSpreadSentence,
} from "../../../../../src/ui/step/rollouts/group/groupOrder.ts";
import { group, trajectory } from "../groups.ts";

describe("the order of completions", () => {
  const mixed = group([trajectory(0, -1, 2), trajectory(1, 1, 3), trajectory(0, -1, 5)]);

  it("puts the highest advantage first and keeps equal ones as sampled", () => {
    expect(trajectoryOrder(mixed, "advantage")).toEqual([1, 0, 2]);
    expect(trajectoryOrder(mixed, "sampled")).toEqual([0, 1, 2]);
    expect(trajectoryOrder(mixed, "length")).toEqual([2, 1, 0]);
  });
});

const off = { klCoef: 0, klPlacement: "loss", entropyCoef: 0 } as const;
const equal = group([trajectory(1, 0, 1), trajectory(1, 0, 1)], true);

describe("the sentence about zero spread", () => {
  it("gives the number of rewards and their value", () => {
    expect(zeroSpreadSentence(equal, off)).toBe(
      "All 2 rewards are equal (1), so every advantage is 0 and this group teaches nothing. With KL and entropy off it changes no weights at all.",
    );
  });

  it("calls equal only what is, and gives both ends of what is too close to tell apart", () => {
    const tiny = group([trajectory(5.5e-118, 0, 1), trajectory(3.7e-44, 0, 1)], true);
    expect(zeroSpreadSentence(tiny, off)).toContain("All 2 rewards are too close to tell apart (5.5e−118 to 3.7e−44), so");
  });

  it("says what moves it all the same", () => {
    expect(zeroSpreadSentence(equal, { ...off, klCoef: 0.1 })).toContain("still feel the pull towards the reference (KL), which");
    expect(zeroSpreadSentence(equal, { ...off, klCoef: 0.1, entropyCoef: 0.01 })).toContain("(KL) and the entropy bonus, which");
    expect(zeroSpreadSentence(equal, { ...off, klCoef: 0.1, klPlacement: "reward" })).toContain("no weights at all");
    const fromOutside = group([trajectory(1, 0.5, 1), trajectory(1, 0.5, 1)], true);
    expect(zeroSpreadSentence(fromOutside, off)).toContain("from outside the group");
  });

  it("tells unscored completions from zero rewards", () => {
    expect(zeroSpreadSentence(group([trajectory(null, 0, 1), trajectory(0, 0, 1)], true), off)).toContain(
      "The 1 rewards that could be scored",
    );
    expect(zeroSpreadSentence(group([trajectory(null, 0, 1)], true), off)).toContain("No completion could be scored");
    expect(zeroSpreadSentence(group([trajectory(1, 1, 1)]), off)).toBeNull();
  });
});

describe("shownPrompts", () => {
  const summary = (promptIndex: number, prompt: string, meanReward: number, rewardStd: number) => ({
    step: 1,
    promptIndex,
    prompt,
    meanReward,
    rewardStd,
    successRate: 0,
    largestAdvantage: 0,
  });
  const all = [summary(0, "What is 3 + 4?", 0.2, 0.4), summary(1, "What is 9 - 5?", 0.9, 0.1), summary(2, "sum to 12", 0.5, 0.2)];

  it("finds text whatever its case", () => {
    expect(shownPrompts(all, " WHAT is ", "sampled").map(({ promptIndex }) => promptIndex)).toEqual([0, 1]);
    expect(shownPrompts(all, "nothing", "sampled")).toEqual([]);
  });

  it("orders by reward or spread without touching the given list", () => {
    expect(shownPrompts(all, "", "reward").map(({ promptIndex }) => promptIndex)).toEqual([1, 2, 0]);
    expect(shownPrompts(all, "", "spread").map(({ promptIndex }) => promptIndex)).toEqual([0, 2, 1]);
    expect(all.map(({ promptIndex }) => promptIndex)).toEqual([0, 1, 2]);
  });

  it("are drawn as far as a reader goes at first, and the chosen one wherever it stands", () => {
    const many = Array.from({ length: 3 * FIRST_PROMPTS }, (_, index) => summary(index, `prompt ${index}`, 0, 0));
    const places = (selected: number) => drawnPrompts(many, selected).map(({ promptIndex }) => promptIndex);
    expect(places(5)).toEqual(many.slice(0, FIRST_PROMPTS).map(({ promptIndex }) => promptIndex));
    expect(places(2 * FIRST_PROMPTS)).toEqual([...places(0), 2 * FIRST_PROMPTS]);
    expect(drawnPrompts(all, 1)).toEqual(all);
  });
});
