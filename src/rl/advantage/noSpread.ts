// How often chance alone leaves a group without anything to compare, where a reward is right or wrong
// (Yu et al. 2025, DAPO, arXiv 2503.14476, section 3.2, names such groups; the formula is elementary).
import { wholePower } from "../exactMath.ts";

/**
 * Chance that all completions of a group earn the same, p^G + (1 - p)^G.
 * @param p chance that one completion is right, in [0, 1]. @param G completions in the group, >= 1.
 */
export function noSpreadChance(p: number, G: number): number {
  if (!(p >= 0 && p <= 1)) throw new RangeError(`p must be from 0 to 1, got ${p}`);
  if (!(G >= 1)) throw new RangeError(`G must be >= 1, got ${G}`);
  return wholePower(p, G) + wholePower(1 - p, G);
}
