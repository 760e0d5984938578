// What it costs that verdicts are asked for in batches. The measurement itself throws where they differ from a bare loop's.
import { expect, it } from "vitest";
import { measureScoring } from "../../bench/measure/scoring.ts";

it("plain rules are as quick in batches: within 2 % of the time it takes to sample what they judge", async () => {
  const { presets } = await measureScoring(1);
  expect(presets.map(({ preset }) => preset)).toEqual(["boxed-arithmetic", "calculator", "countdown"]);
  for (const { preset, conversations, shareOfStep } of presets) {
    expect(conversations, preset).toBeGreaterThanOrEqual(128);
    expect(shareOfStep, preset).toBeLessThan(0.02);
  }
}, 30_000);
