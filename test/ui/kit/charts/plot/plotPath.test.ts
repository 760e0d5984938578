import { describe, expect, it } from "vitest";
import { bandPath, linePath } from "../../../../../src/ui/kit/charts/plot/plotPath.ts";

const x = (step: number) => step * 10;
const y = (value: number) => 100 - value;

describe("linePath", () => {
  it("goes through the points in order, straight over rows without one", () => {
    const rows = [{ x: 0, a: 1 }, { x: 1 }, { x: 2, a: 3, b: 9 }, { x: 3, a: Number.NaN }, { x: 4, a: 2.26 }];
    expect(linePath(rows, "a", x, y)).toBe("M0,99L20,97L40,97.7");
    expect(linePath(rows, "c", x, y)).toBe("");
  });
});

describe("bandPath", () => {
  it("runs along the upper ends and back along the lower ones", () => {
    const rows = [{ x: 0, band0: [10, 20] as const }, { x: 1 }, { x: 2, band0: [30, 50] as const }];
    expect(bandPath(rows, "band0", x, y)).toBe("M0,80L20,50L20,70L0,90Z");
    expect(bandPath([{ x: 0 }], "band0", x, y)).toBe("");
  });
});
