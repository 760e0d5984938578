import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PackedBatch } from "../../../../src/model/backend.ts";
import { packGroups, type TokenGroup } from "../../../../src/train/step/update/batch.ts";

const tokens = (min: number) => fc.array(fc.integer({ min: 0, max: 99 }), { minLength: min, maxLength: 6 });
const groups = fc.array(fc.record({ promptTokens: tokens(1), completions: fc.array(tokens(1), { minLength: 1, maxLength: 4 }) }), {
  minLength: 1,
  maxLength: 4,
});

/** The tokens a row attends to, itself included, read from the segments alone. */
function contextOf(batch: PackedBatch, row: number): number[] {
  for (let s = 0; s < batch.segmentStart_S.length; s++) {
    const start = batch.segmentStart_S[s]!;
    const end = start + batch.segmentLength_S[s]!;
    if (row < start || row >= end) continue;
    const prefix = batch.segmentPrefix_S[s]!;
    const from = prefix < 0 ? 0 : batch.segmentStart_S[prefix]!;
    const before = prefix < 0 ? [] : [...batch.tokens_N.subarray(from, from + batch.segmentLength_S[prefix]!)];
    return [...before, ...batch.tokens_N.subarray(start, row + 1)];
  }
  throw new Error(`row ${row} is in no segment`);
}

describe("packGroups", () => {
  it("scores every completion token from exactly the tokens before it", () => {
    fc.assert(
      fc.property(groups, (all: readonly TokenGroup[]) => {
        const batch = packGroups(all, 1);
        let q = 0;
        for (const group of all) {
          for (const completion of group.completions) {
            for (const [i, token] of completion.entries()) {
              const k = batch.sequenceStart_Q[q]! + i;
              expect(batch.scoreTarget_K[k]).toBe(token);
              expect(contextOf(batch, batch.scoreRow_K[k]!)).toEqual([...group.promptTokens, ...completion.slice(0, i)]);
            }
            q += 1;
          }
        }
        expect(batch.sequenceStart_Q[q]).toBe(batch.scoreTarget_K.length);
      }),
    );
  });

  it("holds each prompt once and no last tokens", () => {
    const batch = packGroups([{ promptTokens: [1, 2, 3], completions: [[4, 5], [6], [7, 8, 9]] }], 1);
    expect([...batch.tokens_N]).toEqual([1, 2, 3, 4, 7, 8]);
    expect([...batch.segmentPrefix_S]).toEqual([-1, 0, 0]);
    expect([...batch.scoreRow_K]).toEqual([2, 3, 2, 2, 4, 5]);
    expect([...batch.unitSegment_U]).toEqual([0, 3]);
    expect([...batch.unitSequence_U]).toEqual([0, 3]);
  });

  it("refuses an empty completion", () => {
    expect(() => packGroups([{ promptTokens: [1], completions: [[]] }], 1)).toThrow("a completion must have at least one token");
  });
});
