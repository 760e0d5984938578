// The page counts what a run of the form will do.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../../src/protocol/config.ts";
import { runSize } from "../../../../src/ui/train/phases/WhatHappens.tsx";

describe("the size of a run in words", () => {
  it.each([
    [{ steps: 100, promptsPerStep: 8, groupSize: 4 }, "100 steps, in each 8 prompts with 4 answers to each."],
    [{ steps: 0, promptsPerStep: 1, groupSize: 24 }, "Steps until you stop it, in each 1 prompt with 24 answers to each."],
    [{ steps: 1, kind: "supervised", demonstrationsPerStep: 32 }, "1 step, in each 32 worked examples."],
  ] as const)("of %j", (input, text) => {
    expect(runSize(runConfigSchema.parse(input))).toBe(text);
  });
});
