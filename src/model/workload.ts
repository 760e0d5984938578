// What a run will ask of its backend, in sizes: the largest of each kind of request. Each backend counts
// from it what memory it would take, with the functions that take it.
import type { OpenRequest, WeightSlot } from "../rl/policy.ts";
import type { PackedBatch } from "./backend.ts";

/** Sequences opened together and the turn they take. */
export interface RolloutSize extends OpenRequest {
  readonly stopTokens: number;
}

export interface Workload {
  readonly rollouts: readonly RolloutSize[];
  /** A batch at least as large as what is scored at once, or all of it. */
  readonly scored: PackedBatch;
  /** Weights that score. */
  readonly scores: readonly WeightSlot[];
  /** The same for an update. */
  readonly updated: PackedBatch;
  /** An answer whose places are scored on the whole vocabulary, which the policy is asked now and then; null where it never is. */
  readonly probed: PackedBatch | null;
  readonly microBatchTokens: number;
  readonly hasReference: boolean;
}
