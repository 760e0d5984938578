import { describe, expect, it } from "vitest";
import { noSpreadChance } from "../../src/rl/advantage/statistics.ts";

/** The same by going through all outcomes of a group. */
function byCounting(p: number, G: number): number {
  let chance = 0;
  for (let outcome = 0; outcome < 2 ** G; outcome++) {
    const right = Array.from({ length: G }, (_, g) => (outcome >> g) & 1);
    const isEqual = right.every((each) => each === right[0]);
    if (isEqual) chance += right.reduce((product, each) => product * (each ? p : 1 - p), 1);
  }
  return chance;
}

describe("the chance of a group without spread", () => {
  it.each([
    [0.02, 8],
    [0.1, 8],
    [0.5, 8],
    [0.9, 3],
    [0, 4],
    [1, 4],
  ])("is that of all equal outcomes for p = %d and G = %d", (p, G) => {
    expect(noSpreadChance(p, G)).toBeCloseTo(byCounting(p, G), 12);
  });

  it("refuses what is no chance and no group", () => {
    expect(() => noSpreadChance(1.1, 8)).toThrow("p must be from 0 to 1, got 1.1");
    expect(() => noSpreadChance(0.5, 0)).toThrow("G must be >= 1, got 0");
  });
});
