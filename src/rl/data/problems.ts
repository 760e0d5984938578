// Which problems a run sees. Training draws from an endless, seeded stream whose only state is its
// position: problem i depends on the seed and i alone, so a saved run continues exactly where it was.
// What is held out for evaluation looks only at what a problem asks, never at a run's seed, so that no
// warm start and no run has ever trained on a problem that any run evaluates on.
import { fnv1a, Random } from "../random.ts";
import type { DataLoader, Example } from "../types.ts";

/** A well-mixed 32-bit hash of a text (FNV-1a, then the finaliser of MurmurHash3). */
export function hash32(text: string): number {
  let hash = fnv1a(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** One problem in this many is held out. */
export const HELD_OUT_ONE_IN = 8;

/** Fewer held-out problems decide nothing, so that a list of four times as many holds out these at least. */
const HELD_OUT_LEAST = 8;

/** Whether the problem with this key belongs to evaluation; `key` names what is asked, not how. */
export function isHeldOut(key: string): boolean {
  return hash32(`held-out/${key}`) % HELD_OUT_ONE_IN === 0;
}

/** The loader of a stream by its problem at each position (0, 1, 2, ...). */
export function loaderOf(problemAt: (position: number) => Example): DataLoader {
  let position = 0;
  return {
    next(count) {
      const examples: Example[] = [];
      for (const end = position + count; position < end; position++) examples.push(problemAt(position));
      return examples;
    },
    state: () => position,
    restore(state) {
      if (!Number.isInteger(state) || state < 0) throw new Error(`position in the data must be a whole number >= 0, got ${state}`);
      position = state;
    },
  };
}

/** The loader over problems that are drawn, each with a generator of its own; streams with other labels or seeds are independent. */
export function problemStream(seed: number, label: string, draw: (random: Random, position: number) => Example): DataLoader {
  return loaderOf((position) => draw(new Random(hash32(`${label}/${seed}/${position}`)), position));
}

/** How many of so many problems are held out: one in eight, one at least, and at least eight of 32 or more. */
export const heldOutOf = (count: number): number =>
  Math.max(count >= 4 * HELD_OUT_LEAST ? HELD_OUT_LEAST : 1, Math.ceil(count / HELD_OUT_ONE_IN));

/**
 * A list of problems in two, those for training and those held out, the same for every seed: by a hash of what they ask, so
 * that they may come in any order. What stands there twice is on one side only.
 */
export function cutProblems<Problem>(
  problems: readonly Problem[],
  keyOf: (problem: Problem) => string,
): { readonly training: readonly Problem[]; readonly heldOut: readonly Problem[] } {
  const ranked = [...problems].sort((a, b) => hash32(keyOf(a)) - hash32(keyOf(b)));
  const heldOut = ranked.slice(0, heldOutOf(problems.length));
  const asked = new Set(heldOut.map(keyOf));
  return { training: problems.filter((problem) => !asked.has(keyOf(problem))), heldOut };
}
