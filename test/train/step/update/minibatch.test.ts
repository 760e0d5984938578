import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../../src/rl/random.ts";
import { packGroups } from "../../../../src/train/step/update/batch.ts";
import { splitMinibatches, wholeBatch } from "../../../../src/train/step/update/minibatch.ts";

describe("minibatches", () => {
  it("cover every sequence once, with its own tokens, in parts of nearly equal size", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(),
        (prompts, copies, count, seed) => {
          const random = new Random(seed);
          const groups = Array.from({ length: prompts }, (_, p) => ({
            promptTokens: [100 + p],
            completions: Array.from({ length: copies }, () => Array.from({ length: 1 + random.below(4) }, () => random.below(90))),
          }));
          const whole = packGroups(groups, 1);
          const parts = splitMinibatches(groups, whole, random, { minibatches: count, microBatchTokens: 64 });
          const seen = parts.flatMap((part) => [...part.tokenOf_K]).sort((a, b) => a - b);
          expect(seen).toEqual(Array.from(whole.scoreTarget_K, (_, k) => k));
          const sizes = parts.map((part) => part.batch.sequenceStart_Q.length - 1);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
          expect(parts.length).toBe(Math.min(count, prompts * copies));
          for (const part of parts) {
            expect([...part.batch.scoreTarget_K]).toEqual([...part.tokenOf_K].map((k) => whole.scoreTarget_K[k]));
          }
        },
      ),
    );
  });

  it("of a whole step keep its order", () => {
    const whole = packGroups([{ promptTokens: [1], completions: [[2, 3], [4]] }], 1);
    expect([...wholeBatch(whole).tokenOf_K]).toEqual([0, 1, 2]);
  });
});
