// An endless, seeded stream of problems whose only state is its position: problem i depends on the
// seed and i alone, so a saved run continues exactly where it was.
import { Random } from "../random.ts";
import type { DataLoader, Example } from "../types.ts";
import { hash32 } from "./split.ts";

/** Draws problem number `position` (0, 1, 2, ...) with its own generator. */
export type DrawProblem = (random: Random, position: number) => Example;

/** The loader over `draw`; streams with other labels or seeds are independent. */
export function problemStream(seed: number, label: string, draw: DrawProblem): DataLoader {
  let position = 0;
  return {
    next(count) {
      return Array.from({ length: count }, () => {
        const random = new Random(hash32(`${label}/${seed}/${position}`));
        return draw(random, position++);
      });
    },
    state: () => position,
    restore(state) {
      if (!Number.isInteger(state) || state < 0) throw new Error(`position in the data must be a whole number >= 0, got ${state}`);
      position = state;
    },
  };
}
