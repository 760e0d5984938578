// Facts about a whole optimizer batch, taken once before it is cut into micro-batches, so that the
// parts of the loss add up to the loss of the whole.
import type { ObjectiveConfig } from "../../protocol/config/configFacts.ts";
import type { ObjectiveTotals } from "./types.ts";

interface TotalsInput {
  readonly mask_K: ArrayLike<number>;
  readonly sequenceStart_Q: Int32Array;
  /** Entropies of the policy as it is before the update; needed for the top-entropy mask only. */
  readonly entropies_K: ArrayLike<number> | null;
}

/** Counts tokens and sequences and finds the entropy below which tokens are not trained. */
export function objectiveTotals(input: TotalsInput, config: Pick<ObjectiveConfig, "topEntropyQuantile">): ObjectiveTotals {
  const { mask_K, entropies_K } = input;
  let tokens = 0;
  for (let k = 0; k < mask_K.length; k++) if (mask_K[k]) tokens += 1;
  const sequences = input.sequenceStart_Q.length - 1;
  if (config.topEntropyQuantile >= 1 || tokens === 0) {
    return { tokens, sequences, entropyThreshold: Number.NEGATIVE_INFINITY, activeTokens: tokens };
  }
  if (!entropies_K) throw new Error("internal: the top-entropy mask needs entropies before the update");
  const sorted = new Float64Array(tokens);
  for (let k = 0, i = 0; k < mask_K.length; k++) if (mask_K[k]) sorted[i++] = entropies_K[k]!;
  sorted.sort();
  const entropyThreshold = quantileOfSorted(sorted, 1 - config.topEntropyQuantile);
  let activeTokens = 0;
  for (const entropy of sorted) if (entropy >= entropyThreshold) activeTokens += 1;
  return { tokens, sequences, entropyThreshold, activeTokens };
}

/** The q-quantile with linear interpolation between neighbours (position q·(n - 1)). */
export function quantileOfSorted(sorted: ArrayLike<number>, q: number): number {
  const position = q * (sorted.length - 1);
  const below = Math.floor(position);
  const low = sorted[below]!;
  const high = sorted[Math.min(below + 1, sorted.length - 1)]!;
  return low + (high - low) * (position - below);
}
