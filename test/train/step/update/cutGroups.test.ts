import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packGroups, type TokenGroup } from "../../../../src/train/step/update/batch.ts";
import { cutGroups } from "../../../../src/train/step/update/cutGroups.ts";

const tokens = (length: number) => Array.from({ length }, (_, i) => i);
const group = (prompt: number, completions: readonly number[]): TokenGroup => ({
  promptTokens: tokens(prompt),
  completions: completions.map(tokens),
});
const unitRows = (groups: readonly TokenGroup[]) =>
  groups.map(({ promptTokens, completions }) => completions.reduce((sum, { length }) => sum + length - 1, promptTokens.length));

describe("cutGroups", () => {
  it("keeps every completion with its prompt, in order, and none of the pieces empty", () => {
    const groups = fc.array(
      fc.tuple(fc.integer({ min: 1, max: 200 }), fc.array(fc.integer({ min: 1, max: 150 }), { minLength: 1, maxLength: 40 })),
      { minLength: 1, maxLength: 5 },
    );
    fc.assert(
      fc.property(groups, fc.integer({ min: 1, max: 3000 }), (shapes, maxRows) => {
        const all = shapes.map(([prompt, completions]) => group(prompt, completions));
        const flat = (some: readonly TokenGroup[]) =>
          some.flatMap(({ promptTokens, completions }) => completions.map((completion) => [promptTokens, completion]));
        const cut = cutGroups(all, maxRows);
        expect(flat(cut)).toEqual(flat(all));
        for (const [i, rows] of unitRows(cut).entries()) {
          expect(cut[i]!.completions.length).toBeGreaterThan(0);
          expect(cut[i]!.completions.length === 1 || rows <= maxRows).toBe(true);
        }
      }),
    );
  });

  it("cuts one large group for threads, into equal pieces", () => {
    expect(unitRows(cutGroups([group(10, Array(64).fill(65))], 1e6))).toEqual([1034, 1034, 1034, 1034]);
  });

  it("cuts completions of different lengths into nearly equal pieces", () => {
    const lengths = Array.from({ length: 64 }, (_, i) => 2 + ((i * 37) % 90));
    const rows = unitRows(cutGroups([group(10, lengths)], 1e6));
    expect(rows).toHaveLength(4);
    expect(Math.max(...rows) / Math.min(...rows)).toBeLessThan(1.1);
  });

  it("leaves the groups of a step with many prompts whole, as small ones", () => {
    const many = Array.from({ length: 32 }, () => group(12, Array(8).fill(16)));
    expect(cutGroups(many, 2048)).toEqual(many);
    expect(cutGroups([group(1, Array(24).fill(3))], 2048)).toHaveLength(1);
  });

  it("does not repeat a prompt that is longer than what would follow it", () => {
    expect(cutGroups([group(1000, Array(8).fill(101))], 4096)).toHaveLength(1);
  });

  it("cuts what does not fit into a micro-batch, down to single completions", () => {
    expect(Math.max(...unitRows(cutGroups([group(100, Array(16).fill(101))], 600)))).toBeLessThanOrEqual(600);
    expect(cutGroups([group(1000, Array(16).fill(101))], 600)).toHaveLength(16);
  });

  it("changes which rows are shared, not which tokens are scored", () => {
    const whole = [group(3, Array(64).fill(9))];
    const cut = packGroups(cutGroups(whole, 1e6), 1);
    const { scoreTarget_K, sequenceStart_Q } = packGroups(whole, 1);
    expect(cut.unitSegment_U.length - 1).toBe(4);
    expect(cut.scoreTarget_K).toEqual(scoreTarget_K);
    expect(cut.sequenceStart_Q).toEqual(sequenceStart_Q);
  });
});
