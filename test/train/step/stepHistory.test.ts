// Steps kept for inspection: the newest, within a number and a memory.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { KEPT_BYTES, newSampledStep, type SampledStep, StepHistory, sampledBytes } from "../../../src/train/step/sampledStep.ts";

/** A step with as many sequences as given, which say the same `tokens` times. */
function sampledStep(step: number, sequences: number, tokens: number): SampledStep {
  const ones = new Array<number>(tokens).fill(1);
  const trajectory = {
    promptTokens: [1],
    tokens: ones,
    mask: ones,
    logprobs: ones,
    entropies: ones,
    messages: [],
    stopReason: "completed",
  } as const;
  const example = { id: "a", messages: [], answer: "" };
  return newSampledStep(step, [{ example, trajectories: new Array(sequences).fill(trajectory) }], runConfigSchema.parse({}));
}

const keptAfter = (steps: readonly SampledStep[]) => {
  const history = new StepHistory();
  for (const step of steps) history.add(step);
  return steps.filter(({ step }) => history.get(step) !== undefined).map(({ step }) => step);
};

describe("the steps kept for inspection", () => {
  it("are the newest 200 where they are small", () => {
    const kept = keptAfter(Array.from({ length: 210 }, (_, i) => sampledStep(i + 1, 2, 3)));
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([200, 11, 210]);
  });

  it("are fewer where they are large: as many as their memory allows", () => {
    const one = sampledStep(1, 2000, 256);
    const bytes = sampledBytes(one.batch);
    const fit = Math.floor(KEPT_BYTES / bytes);
    expect(fit).toBeGreaterThan(2);
    const kept = keptAfter(Array.from({ length: fit + 3 }, (_, i) => ({ ...one, step: i + 1 })));
    expect([kept[0], kept.length]).toEqual([4, fit]);
  });

  it("count once what every phase of a step adds again", () => {
    const one = sampledStep(1, 2000, 256);
    const fit = Math.floor(KEPT_BYTES / sampledBytes(one.batch));
    const kept = keptAfter(Array.from({ length: 4 * fit }, (_, i) => ({ ...one, step: 1 + Math.floor(i / 4) })));
    expect(new Set(kept).size).toBe(fit);
  });

  it("hold the newest even where it is larger than that by itself", () => {
    const batch = { ...sampledStep(1, 1, 1).batch, scoreTarget_K: { length: KEPT_BYTES } as Int32Array };
    const huge = (step: number) => ({ ...sampledStep(step, 1, 1), batch });
    expect(keptAfter([huge(1), huge(2)])).toEqual([2]);
  });

  it("are counted with what the numbers of their tokens take", () => {
    const { batch, ...step } = sampledStep(1, 64, 100);
    const arrays = [...Object.values(batch), ...Object.values(step)].filter((value): value is Float32Array => ArrayBuffer.isView(value));
    const shared = new Set(arrays.map(({ buffer }) => buffer));
    const bytes = [...shared].reduce((sum, { byteLength }) => sum + byteLength, 0);
    // Beside these arrays come the reference's, new and critic's values, and lists of plain numbers.
    expect(sampledBytes(batch)).toBeGreaterThan(bytes);
    expect(sampledBytes(batch)).toBeLessThan(2.5 * bytes + 64 * 1100);
  });
});
