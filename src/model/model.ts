// What the trainer needs from a policy it can improve. Two models implement it: the transformer
// (over whichever backend computes fastest here) and the tabular policy.
import type { ModelFile, ModelReport } from "../protocol/messages.ts";
import type { Policy, WeightSlot } from "../rl/policy.ts";
import type { Objective, OptimizerStep, PackedBatch, TokenScores } from "./backend.ts";
import type { TensorSet } from "./tensors.ts";
import type { TransformerConfig } from "./transformerConfig.ts";

/** A gradient: the tokens and the objective over them. */
export interface GradientRequest {
  readonly batch: PackedBatch;
  readonly objective: Objective;
  /** Weight of KL(policy || reference), exact over the vocabulary and averaged over positions; only the tabular policy offers it. */
  readonly exactKlCoef: number;
  readonly microBatchTokens: number;
}

/** One optimizer step: a gradient and how to step. */
export interface UpdateRequest extends GradientRequest {
  readonly optimizer: OptimizerStep;
}

/** What an optimizer step came to. */
export interface UpdateResult {
  /** Scores of the training forward, before the step. */
  readonly scores: TokenScores;
  /** Global gradient norm before clipping; NaN when the step was refused. */
  readonly gradNorm: number;
  /** KL(policy || reference) before the step, averaged over positions (nats); null where it is not computed exactly. */
  readonly exactKlNats: number | null;
}

/** Everything needed to go on training a model as if it had never stopped: the tensors that training moves. */
export interface ModelState {
  readonly policy: TensorSet;
  readonly reference: TensorSet | null;
  /** AdamW's moments and the number of steps behind them. */
  readonly first: TensorSet;
  readonly second: TensorSet;
  readonly optimizerSteps: number;
}

/** A transformer's weights on their way to another, with what the other must have alike. */
export interface ModelWeights {
  readonly config: TransformerConfig;
  /** What its ids stand for, as `tokenizerId` says it; null where that is not known. */
  readonly tokenizer: string | null;
  readonly weights: TensorSet;
}

/** A policy that can be sampled, scored, trained and saved. */
export interface Model {
  readonly report: ModelReport;
  policy(): Policy;
  hasReference(): boolean;
  /** Sets the frozen reference to mix * policy + (1 - mix) * reference (the policy itself if there is none yet). */
  refreshReference(mix: number): Promise<void>;
  /** Frees the reference's memory. */
  dropReference(): Promise<void>;
  score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores>;
  /** An objective that throws ends the update with its error: weights, moments and the next update are as if it had not been. */
  update(request: UpdateRequest): Promise<UpdateResult>;
  /** The gradient an update would step with, measured only: weights, moments and the next update are as if it had not been. */
  gradient(request: GradientRequest): Promise<TensorSet>;
  save(): Promise<ModelState>;
  /** By name: throws a sentence where the tensors are not this model's. */
  load(state: ModelState): Promise<void>;
  /** Lets somebody look while other weights are in the reference's place, which is put back as it was. */
  withReference<T>(weights: TensorSet, look: () => Promise<T>): Promise<T>;
  /** The policy as files of a Hugging Face folder; null for models that have no such form. */
  exportFiles(): Promise<readonly ModelFile[] | null>;
  dispose(): void;
}
