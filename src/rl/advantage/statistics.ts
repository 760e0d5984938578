// Means, medians and spreads, also of rewards that may be missing, and how often chance alone leaves no spread.
import { wholePower } from "../exactMath.ts";

export interface Summary {
  /** How many values there are. */
  readonly count: number;
  readonly mean: number;
  /** 0 with fewer than two values. */
  readonly std: number;
  /** All values equal up to rounding, or fewer than two of them. */
  readonly equal: boolean;
}

/**
 * Statistics of the values that are not NaN.
 * @param kind "sample" divides by n - 1, "population" by n.
 */
export function summarize(values: ArrayLike<number>, kind: "sample" | "population"): Summary {
  let count = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isNaN(value)) continue;
    count += 1;
    sum += value;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  if (count === 0) return { count, mean: 0, std: 0, equal: true };
  const mean = sum / count;
  const equal = count < 2 || max - min <= 1e-12 * Math.max(1, Math.abs(min), Math.abs(max));
  if (equal) return { count, mean, std: 0, equal };
  let squares = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isNaN(value)) squares += (value - mean) * (value - mean);
  }
  return { count, mean, std: Math.sqrt(squares / (kind === "sample" ? count - 1 : count)), equal };
}

/** The members of each group, in order: indices of completions per group 0 .. G-1. */
export function membersOf(groupOf_Q: ArrayLike<number>): number[][] {
  const members_P: number[][] = [];
  for (let q = 0; q < groupOf_Q.length; q++) {
    const group = groupOf_Q[q]!;
    while (members_P.length <= group) members_P.push([]);
    members_P[group]!.push(q);
  }
  return members_P;
}

/**
 * Chance that all completions of a group earn the same, p^G + (1 - p)^G, where a reward is right or wrong
 * (Yu et al. 2025, DAPO, arXiv 2503.14476, section 3.2, names such groups; the formula is elementary).
 * @param p chance that one completion is right, in [0, 1]. @param G completions in the group, >= 1.
 */
export function noSpreadChance(p: number, G: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`p must be from 0 to 1, got ${p}`);
  if (!(G >= 1)) throw new RangeError(`G must be >= 1, got ${G}`);
  return wholePower(p, G) + wholePower(1 - p, G);
}

/** NaN without values. */
export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** NaN without values. Not all of them are sorted for it: verdicts ask for it of long series again and again. */
export function medianOf(values: ArrayLike<number>): number {
  const parted = Float64Array.from(values);
  const middle = Math.floor(parted.length / 2);
  partAt(parted, middle);
  if (parted.length % 2 === 1) return parted[middle]!;
  const below = parted.subarray(0, middle).reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY);
  return (below + parted[middle]!) / 2;
}

/** Moves the number that sorting would bring to a place there, smaller ones before it and larger ones behind (Hoare 1961, "Find"). */
function partAt(values: Float64Array, place: number): void {
  let first = 0;
  let last = values.length - 1;
  while (first < last) {
    const pivot = values[place]!;
    let low = first;
    let high = last;
    while (low <= high) {
      while (values[low]! < pivot) low += 1;
      while (values[high]! > pivot) high -= 1;
      if (low > high) break;
      [values[low], values[high]] = [values[high]!, values[low]!];
      low += 1;
      high -= 1;
    }
    if (high < place) first = low;
    if (low > place) last = high;
  }
}
