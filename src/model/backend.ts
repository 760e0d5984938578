// What a transformer needs from the machine, as one interface with several implementations (own WASM
// kernels, tfjs composition on WASM or WebGPU, own WebGPU kernels). Everything crosses it as typed
// arrays; implementations keep weights, gradients and optimizer state wherever they are fastest.
//
// The one differentiable function is (log-probs, entropies[, values]) = f(weights, tokens). The
// objective is plain scalar code (rl/objective) that turns those into a loss and its gradient with
// respect to them; the backend carries that gradient back to the weights.

import type { MeasuredBuild } from "../kernels/wasm/kernelModule.ts";
import type { OpenRequest, Policy, SampleResult, WeightSlot } from "../rl/policy.ts";
import type { TensorLayout } from "./tensors.ts";
import type { TransformerConfig } from "./transformerConfig.ts";

/**
 * Sequences without padding. Rows are token positions; a segment is a run of rows that attend to
 * each other causally and to all rows of one earlier prefix segment (a prompt shared by a group).
 * Row i of a segment sits at position prefixLength + i.
 */
export interface PackedBatch {
  /** Token of each row. */
  readonly tokens_N: Int32Array;
  readonly segmentStart_S: Int32Array;
  readonly segmentLength_S: Int32Array;
  /** Index of the segment attended to in full, or -1; a prefix has no prefix itself and comes first. */
  readonly segmentPrefix_S: Int32Array;
  /** Scored tokens, ordered by sequence then position: the row whose output predicts the token... */
  readonly scoreRow_K: Int32Array;
  /** ...and the token it is scored on. A prompt's last row may be scored once per group member. */
  readonly scoreTarget_K: Int32Array;
  /** First scored token of each sequence, plus K at the end: length sequences + 1. */
  readonly sequenceStart_Q: Int32Array;
  /**
   * First segment of each independent unit (a prompt with its completions), plus S at the end.
   * Units never attend to each other, so micro-batches and threads are cut between them.
   */
  readonly unitSegment_U: Int32Array;
  /** First sequence of each unit, plus the number of sequences at the end. */
  readonly unitSequence_U: Int32Array;
  /** Divides the logits, as when sampling. */
  readonly temperature: number;
}

/** Values at the scored tokens, in nats. `values_K` only with a value head. */
export interface TokenScores {
  readonly logprobs_K: Float32Array;
  readonly entropies_K: Float32Array;
  readonly values_K: Float32Array | null;
}

/** The same as far as a model can tell it: one elsewhere knows no entropies over the vocabulary, and then they are null. */
export interface PartialScores extends Omit<TokenScores, "entropies_K"> {
  readonly entropies_K: Float32Array | null;
}

/** Scores to write into. */
export function emptyScores(K: number, { valueHead }: TransformerConfig): TokenScores {
  return { logprobs_K: new Float32Array(K), entropies_K: new Float32Array(K), values_K: valueHead ? new Float32Array(K) : null };
}

/** Writes the scores of a part of a batch into those of the whole. */
export function putScores(whole: TokenScores, part: TokenScores, firstToken: number): void {
  whole.logprobs_K.set(part.logprobs_K, firstToken);
  whole.entropies_K.set(part.entropies_K, firstToken);
  if (part.values_K) whole.values_K?.set(part.values_K, firstToken);
}

/** dLoss / d(log-prob, entropy, value) at the scored tokens; null means zero everywhere. */
export interface TokenGradients {
  readonly logprobs_K: Float32Array;
  readonly entropies_K: Float32Array | null;
  readonly values_K: Float32Array | null;
}

/** Units [first, last) of a batch, or sequences of a request. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** Spans of so many things in order, each as long as it fits; one thing at least. */
export function cutSpans(count: number, fits: (first: number, last: number) => boolean): Span[] {
  const spans: Span[] = [];
  for (let first = 0, last = 1; first < count; first = last++) {
    while (last < count && fits(first, last + 1)) last += 1;
    spans.push({ first, last });
  }
  return spans;
}

/** The sum of the sizes before each thing, and of all of them. */
export function sumsBefore(sizes: ArrayLike<number>): Float64Array {
  const sums = new Float64Array(sizes.length + 1);
  for (let i = 0; i < sizes.length; i++) sums[i + 1] = sums[i]! + sizes[i]!;
  return sums;
}

/** Rows of each unit. */
export function unitRows({ unitSegment_U, segmentLength_S }: PackedBatch): Int32Array {
  const rows_U = new Int32Array(Math.max(unitSegment_U.length - 1, 0));
  for (let unit = 0; unit < rows_U.length; unit++)
    for (let s = unitSegment_U[unit]!; s < unitSegment_U[unit + 1]!; s++) rows_U[unit]! += segmentLength_S[s]!;
  return rows_U;
}

/** Whole sequences [firstSequence, lastSequence) of a batch, whose scored tokens run from `firstToken`. */
export interface SequenceRange {
  readonly firstSequence: number;
  readonly lastSequence: number;
  readonly firstToken: number;
}

/** Called once for each micro-batch with its scores. Returned arrays have the scores' length. It may throw to refuse them. */
export type Objective = (scores: PartialScores, range: SequenceRange) => TokenGradients;

/** One AdamW (or SGD) step over the accumulated gradient. */
export interface OptimizerStep {
  readonly kind: "adamw" | "sgd";
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  /** Decoupled: weights shrink by learningRate * weightDecay, all of them. */
  readonly weightDecay: number;
  /** Largest global L2 norm of the gradient; 0 leaves it as it is. */
  readonly maxGradNorm: number;
}

/** Moments of AdamW over the flat parameters and the number of steps taken. */
export interface OptimizerState {
  readonly step: number;
  readonly first_N: Float32Array;
  readonly second_N: Float32Array;
}

export interface TransformerBackend extends Policy<SampleResult> {
  readonly id: string;
  readonly threads: number;
  /** The build of the WASM kernels, where they compute; each has bits of its own. */
  readonly build?: MeasuredBuild;
  readonly config: TransformerConfig;
  /** What training moves, in the order of all flat arrays here: weights, gradient and moments. */
  readonly layout: TensorLayout;
  setWeights(slot: WeightSlot, weights_N: Float32Array): Promise<void>;
  getWeights(slot: WeightSlot): Promise<Float32Array>;
  /** All weights of the policy, in the order of parameterLayout: with adapters, the base with them added in. */
  wholeWeights(): Promise<Float32Array>;
  /** Gives the reference's memory back, for whatever needs some next; it is not there until it is set again. */
  dropWeights(slot: "reference"): Promise<void>;
  getOptimizer(): Promise<OptimizerState>;
  setOptimizer(state: OptimizerState): Promise<void>;
  /** Flat accumulated gradient. */
  getGradient(): Promise<Float32Array>;
  /** Forgets the accumulated gradient; weights and moments stay. */
  clearGradient(): Promise<void>;
  /** Forward only. */
  score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores>;
  /**
   * Forward, objective, backward; adds to the gradient. Activations are kept for at most about microBatchTokens rows at
   * once. What was added before an objective threw stays until the gradient is cleared.
   */
  accumulate(batch: PackedBatch, objective: Objective, microBatchTokens: number): Promise<TokenScores>;
  /**
   * Clips, steps and clears the gradient; returns its norm before clipping. A non-finite gradient is cleared, changes
   * nothing and returns NaN.
   */
  step(options: OptimizerStep): Promise<{ readonly gradNorm: number }>;
  dispose(): void;
}

/** Sequences opened together and the turn they take. */
export interface RolloutSize extends OpenRequest {
  readonly stopTokens: number;
}

/**
 * What a run will ask of its backend, in sizes: the largest of each kind of request. Each backend counts from it what
 * memory it would take, with the functions that take it.
 */
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
