import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromBfloatBits, fromHalfBits, toBfloatBits, toHalfBits } from "../../../src/model/folder/halfFloat.ts";

describe("binary16", () => {
  it("knows landmark values", () => {
    const landmarks: [number, number][] = [
      [0, 0x0000],
      [-0, 0x8000],
      [1, 0x3c00],
      [-2, 0xc000],
      [65504, 0x7bff],
      [2 ** -14, 0x0400],
      [2 ** -24, 0x0001],
      [1 / 3, 0x3555],
      [Number.POSITIVE_INFINITY, 0x7c00],
      [Number.NEGATIVE_INFINITY, 0xfc00],
    ];
    for (const [value, bits] of landmarks) expect(toHalfBits(value)).toBe(bits);
  });

  it("returns every finite bit pattern unchanged after widening and narrowing", () => {
    const changed: number[] = [];
    for (let bits = 0; bits < 0x10000; bits++) {
      const notANumber = (bits & 0x7c00) === 0x7c00 && (bits & 0x3ff) !== 0;
      if (!notANumber && toHalfBits(fromHalfBits(bits)) !== bits) changed.push(bits);
    }
    expect(changed).toEqual([]);
  });

  it("rounds ties to even and overflows to infinity", () => {
    expect(toHalfBits(1 + 2 ** -11)).toBe(0x3c00);
    expect(toHalfBits(1 + 3 * 2 ** -11)).toBe(0x3c02);
    expect(toHalfBits(65519.996)).toBe(0x7bff);
    expect(toHalfBits(65520)).toBe(0x7c00);
    expect(toHalfBits(-1e9)).toBe(0xfc00);
    expect(toHalfBits(2 ** -25)).toBe(0);
    expect(toHalfBits(2 ** -25 * 1.001)).toBe(1);
  });

  it("keeps NaN a NaN", () => {
    expect(fromHalfBits(toHalfBits(Number.NaN))).toBeNaN();
  });

  it("narrows to one of the two neighbours, the nearer one", () => {
    fc.assert(
      fc.property(fc.float({ min: -65504, max: 65504, noNaN: true }), (value) => {
        const bits = toHalfBits(value);
        const error = Math.abs(fromHalfBits(bits) - value);
        for (const other of [bits - 1, bits + 1]) {
          if ((other & 0x7c00) === 0x7c00 || other < 0 || (other & 0x8000) !== (bits & 0x8000)) continue;
          expect(error).toBeLessThanOrEqual(Math.abs(fromHalfBits(other) - value));
        }
      }),
    );
  });
});

describe("bfloat16", () => {
  it("returns every pattern but NaN unchanged after widening and narrowing", () => {
    const changed: number[] = [];
    for (let bits = 0; bits < 0x10000; bits++) {
      const notANumber = (bits & 0x7f80) === 0x7f80 && (bits & 0x7f) !== 0;
      if (!notANumber && toBfloatBits(fromBfloatBits(bits)) !== bits) changed.push(bits);
    }
    expect(changed).toEqual([]);
  });

  it("rounds ties to even and overflows to infinity", () => {
    expect(toBfloatBits(1 + 2 ** -8)).toBe(0x3f80);
    expect(toBfloatBits(1 + 3 * 2 ** -8)).toBe(0x3f82);
    expect(toBfloatBits(3.4028234663852886e38)).toBe(0x7f80);
    expect(toBfloatBits(-3.4028234663852886e38)).toBe(0xff80);
  });

  it("keeps NaN a NaN", () => {
    expect(fromBfloatBits(toBfloatBits(Number.NaN))).toBeNaN();
  });
});
