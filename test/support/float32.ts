// How closely float32 must agree with float64: one tolerance for every case and every option.
import { expect } from "vitest";

/** Expects every number within 1e-5 of the largest expected one, plus 1e-7: terms around 1 may cancel in a sum, their rounding stays. */
export function expectInFloat32(actual: ArrayLike<number> | null, expected: ArrayLike<number> | null, what: string): void {
  expect([what, actual?.length]).toEqual([what, expected?.length]);
  let largest = 0;
  let difference = 0;
  for (let i = 0; i < (expected?.length ?? 0); i++) {
    largest = Math.max(largest, Math.abs(expected![i]!));
    // A NaN stays in the maximum and fails below.
    difference = Math.max(difference, Math.abs(actual![i]! - expected![i]!));
  }
  expect(difference, what).toBeLessThanOrEqual(1e-5 * largest + 1e-7);
}
