// Several rewards, each normalised within its group before they are summed, so that a part with small
// numbers is not drowned (GDPO: Liu et al. 2026, arXiv 2601.05242, "Group reward-Decoupled Normalization Policy
// Optimization"; TRL's multi_objective_aggregation "normalize_then_sum"): z-score each part per group,
// sum with weights, then z-score the sum over the batch.
import type { RewardPartRecord } from "../../protocol/records.ts";
import { summarize } from "./statistics.ts";

/** Weighted sum of group-normalised parts, [Q]; NaN where no part could score. */
export function normalizedSum(
  parts_Q: readonly (readonly RewardPartRecord[])[],
  members_P: readonly (readonly number[])[],
  kind: "sample" | "population",
  eps: number,
): Float64Array {
  const sums_Q = new Float64Array(parts_Q.length).fill(Number.NaN);
  const names = new Set(parts_Q.flatMap((parts) => parts.map((part) => part.name)));
  for (const name of names) {
    for (const members of members_P) {
      const parts = members.map((q) => parts_Q[q]!.find((part) => part.name === name));
      const values = parts.map((part) => part?.value ?? Number.NaN);
      const { mean, std, equal } = summarize(values, kind);
      for (const [i, q] of members.entries()) {
        const part = parts[i];
        if (!part || part.value === null) continue;
        // A part that is equal over the group says nothing about its members.
        const z = equal ? 0 : (part.value - mean) / (std + eps || 1);
        sums_Q[q] = (Number.isNaN(sums_Q[q]!) ? 0 : sums_Q[q]!) + (part.weight ?? Number.NaN) * z;
      }
    }
  }
  return sums_Q;
}

/** z-score over the batch, [Q]; NaN stays NaN, equal values give 0. */
export function standardize(values_Q: Float64Array, kind: "sample" | "population", eps: number): Float64Array {
  const { mean, std, equal } = summarize(values_Q, kind);
  return values_Q.map((value) => (Number.isNaN(value) ? value : equal ? 0 : (value - mean) / (std + eps || 1)));
}
