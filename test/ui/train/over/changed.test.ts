// What the end of a run says has changed is what its records hold.
import { describe, expect, it } from "vitest";
import type { ProbeAnswer } from "../../../../src/protocol/records.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { breakingSetting, changedAnswers } from "../../../../src/ui/train/over/changed.ts";

const PIECES = { 1: "12", 2: "26", 3: "<|im_end|>" };
const answer = (tokens: readonly number[], reward: number | null, isComplete = true): ProbeAnswer => ({
  tokens_T: tokens.map((token) => [token, 9]),
  logprobs_T: tokens.map(() => [-0.1, -3]),
  ...{ isComplete, reward },
});
const prompt = (content: string) => ({ exampleId: content, messages: [{ role: "user", content }], answer: "26" });
const none: ProbeAnswer = { tokens_T: [], logprobs_T: [], isComplete: false, reward: null };

describe("what a run has changed", () => {
  it("is the first and the last answer to each prompt, with what it earned", () => {
    const records = [
      { step: 0, answers: [answer([1, 3], 0), none] },
      { step: 4, answers: [answer([1, 3], 0), none] },
      { step: 40, answers: [answer([2, 3], 1), answer([2], 1)] },
    ];
    expect(changedAnswers({ prompts: [prompt("12 + 14"), prompt("too long")], records, pieces: PIECES })).toEqual({
      from: 0,
      to: 40,
      answers: [
        {
          question: "12 + 14",
          expected: "26",
          before: { text: "12", reward: 0, probability: Math.exp(-0.2) },
          after: { text: "26", reward: 1, probability: Math.exp(-0.2) },
        },
      ],
    });
  });

  it("says of an answer that was cut off that it goes on", () => {
    const records = [
      { step: 0, answers: [answer([1], null, false)] },
      { step: 1, answers: [answer([2], null)] },
    ];
    expect(changedAnswers({ prompts: [prompt("?")], records, pieces: PIECES })?.answers[0]?.before.text).toBe("12 …");
  });

  it("is not known of a run that was asked once", () => {
    expect(changedAnswers({ prompts: [prompt("?")], records: [{ step: 0, answers: [answer([1], 0)] }], pieces: PIECES })).toBeNull();
  });
});

describe("what makes a run fail", () => {
  it.each([
    [0.001, 0.03],
    [2, 10],
    [0, 10],
    // No longer steps than these are allowed.
    [10, 0.01],
    [6, 0.006],
  ])("is another learning rate than %d, within its range", (learningRate, breaking) => {
    expect(breakingSetting(catalog, { learningRate })).toEqual(["learningRate", breaking]);
  });
});
