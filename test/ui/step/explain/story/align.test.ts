import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { alignTokens } from "../../../../../src/ui/step/explain/story/align.ts";

/** Length of the longest common subsequence by trying everything. */
function longest(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || b.length === 0) return 0;
  if (a[0] === b[0]) return 1 + longest(a.slice(1), b.slice(1));
  return Math.max(longest(a.slice(1), b), longest(a, b.slice(1)));
}

const tokens = fc.array(fc.nat(3), { maxLength: 7 });

describe("two answers side by side", () => {
  it("have every token once and in order, and share as many as can be", () => {
    fc.assert(
      fc.property(tokens, tokens, (a, b) => {
        const places = alignTokens(a, b);
        expect(places.flatMap((place) => place.a ?? [])).toEqual(a.map((_, i) => i));
        expect(places.flatMap((place) => place.b ?? [])).toEqual(b.map((_, i) => i));
        const shared = places.filter((place) => place.a !== null && place.b !== null && a[place.a] === b[place.b]);
        expect(shared.length).toBeGreaterThanOrEqual(longest(a, b));
      }),
    );
  });

  it("put what differs between two shared tokens opposite each other", () => {
    expect(alignTokens([1, 2, 3], [1, 5, 3, 4])).toEqual([
      { a: 0, b: 0 },
      { a: 1, b: 1 },
      { a: 2, b: 2 },
      { a: null, b: 3 },
    ]);
  });
});
