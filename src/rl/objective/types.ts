// What the objective reads and returns. Arrays with suffix K run over the scored tokens of whole
// sequences, ordered by sequence; all per-token work is done in flat typed arrays.
import type { ObjectiveSums } from "./sums.ts";

/** Facts about the whole optimizer batch that every part of it needs; see objectiveTotals. */
export interface ObjectiveTotals {
  /** Tokens with mask 1. */
  readonly tokens: number;
  /** All sequences, those without a trained token included. */
  readonly sequences: number;
  /** Tokens below this entropy are not trained; -Infinity without the top-entropy mask. */
  readonly entropyThreshold: number;
  /** Tokens with mask 1 at or above the threshold. */
  readonly activeTokens: number;
}

/** What the objective is computed from: the log-probs, advantages and masks of some whole sequences. */
export interface ObjectiveInput {
  readonly logprobs_K: ArrayLike<number>;
  /** Log-probs of the sampling policy. */
  readonly oldLogprobs_K: ArrayLike<number>;
  readonly refLogprobs_K: ArrayLike<number> | null;
  readonly entropies_K: ArrayLike<number> | null;
  readonly advantages_K: ArrayLike<number>;
  /** 1 where the token is trained. */
  readonly mask_K: ArrayLike<number>;
  /** First token of each sequence plus the end, counted from the first entry: a slice of a larger table will do. */
  readonly sequenceStart_Q: Int32Array;
  /** Critic values now and at sampling time, and their targets; all three or none. */
  readonly values_K: ArrayLike<number> | null;
  readonly oldValues_K: ArrayLike<number> | null;
  readonly returns_K: ArrayLike<number> | null;
  readonly totals: ObjectiveTotals;
}

/** 0 free, -1 clipped low, +1 clipped high (both as TRL counts them), 2 held by δ or the dual clip. */
export type ClipState = 0 | -1 | 1 | 2;

/** The loss, its gradient at every scored token, and sums for metrics. */
export interface ObjectiveResult {
  /** This part's share of the loss: policy + KL + entropy + value. */
  readonly loss: number;
  readonly gradLogprobs_K: Float64Array;
  /** null without an entropy bonus. */
  readonly gradEntropies_K: Float64Array | null;
  /** null without a critic. */
  readonly gradValues_K: Float64Array | null;
  /** Each token's policy loss, before masks and aggregation. */
  readonly policyLoss_K: Float64Array;
  /** Weight of each trained token's loss in the whole; 0 elsewhere. */
  readonly weight_K: Float64Array;
  /** 1 where the policy's part counts, 0 where a mask removed it. */
  readonly keep_K: Uint8Array;
  readonly ratio_K: Float64Array;
  readonly clipState_K: Int8Array;
  /** The chosen estimate of KL to the reference, bias correction included; 0 without a reference. */
  readonly klNats_K: Float64Array;
  readonly sums: ObjectiveSums;
}

/** What a surrogate fills, scratch of one call: per-token loss and its derivatives. */
export interface SurrogateArrays {
  /** Per-token policy loss, before masks and aggregation. */
  readonly loss_K: Float64Array;
  /** dLoss / dRatio. */
  readonly dRatio_K: Float64Array;
  /** dLoss / dLog-prob where the surrogate holds the ratio fixed. */
  readonly dLogprob_K: Float64Array;
  /** dLoss / d(sum of the sequence's log-ratios), of each token's loss; zeros unless a weight of the whole sequence moves. */
  readonly dSequence_K: Float64Array;
  readonly clipState_K: Int8Array;
  /** Mean weight of each sequence, of a surrogate that weighs whole sequences; zeros otherwise. */
  readonly sequenceWeight_Q: Float64Array;
}

/** Importance ratios; per token, or one per sequence written at each of its tokens. */
export interface Ratios {
  readonly ratio_K: Float64Array;
  /** new - old log-prob of each trained token; 0 elsewhere. */
  readonly logRatio_K: Float64Array;
  /** Trained tokens of each sequence. */
  readonly trained_Q: Float64Array;
}

/**
 * A function that returns the next `length` entries of `values` as a view at each call: many short arrays from one
 * allocation. An array of its own costs several times what a view does, most of the time of a step on a small policy.
 */
export function consecutiveSubarrays<A extends Float32Array | Float64Array | Int32Array>(values: A): (length: number) => A {
  let used = values.byteOffset;
  // A quarter of the time that subarray takes, which looks for the kind of array by itself.
  const Kind = values.constructor as new (buffer: ArrayBufferLike, byteOffset: number, length: number) => A;
  return (length) => {
    const part = new Kind(values.buffer, used, length);
    used += part.byteLength;
    return part;
  };
}

/** The items of all lists in order: in a twentieth of the time that flat takes, which is a tenth of a table's step. */
export function endToEnd<Item>(lists: readonly (readonly Item[])[]): Item[] {
  const items: Item[] = [];
  for (const list of lists) for (const item of list) items.push(item);
  return items;
}
