import { describe, expect, it } from "vitest";
import { learningRateAt } from "../../src/rl/controllers.ts";

const base = { learningRate: 2, schedule: "constant", warmupSteps: 4, finalLearningRateShare: 0, steps: 12 } as const;
const curve = (config: Parameters<typeof learningRateAt>[1], steps: readonly number[]) => steps.map((step) => learningRateAt(step, config));

describe("the learning rate", () => {
  // Factors of transformers' get_*_schedule_with_warmup with 4 warm-up and 12 training steps.
  it.each([
    ["constant", [0, 0.25, 0.75, 1, 1, 1]],
    ["linear", [0, 0.25, 0.75, 1, 0.5, 0.125]],
    ["cosine", [0, 0.25, 0.75, 1, 0.5, 0.5 * (1 + Math.cos((7 / 8) * Math.PI))]],
  ] as const)("follows Hugging Face's %s schedule", (schedule, factors) => {
    const rates = curve({ ...base, schedule }, [0, 1, 3, 4, 8, 11]);
    for (const [i, factor] of factors.entries()) expect(rates[i]).toBeCloseTo(2 * factor, 14);
  });

  it("ends at the final share and stays there", () => {
    expect(curve({ ...base, schedule: "cosine", finalLearningRateShare: 0.1 }, [12, 50])).toEqual([0.2, 0.2]);
    expect(learningRateAt(8, { ...base, schedule: "linear", finalLearningRateShare: 0.1 })).toBeCloseTo(2 * 0.55, 14);
  });

  it("does not fall in a run without an end", () => expect(learningRateAt(1000, { ...base, schedule: "linear", steps: 0 })).toBe(2));
  it("starts at the top without warm-up", () => expect(learningRateAt(0, { ...base, warmupSteps: 0, schedule: "linear" })).toBe(2));
});
