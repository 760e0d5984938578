// What the trainer needs from a policy it can improve. Two models implement it: the transformer
// (over whichever backend computes fastest here) and the tabular policy.
import type { ModelFile, ModelReport } from "../protocol/messages.ts";
import type { Policy, WeightSlot } from "../rl/policy.ts";
import type { ServerLoss } from "../rl/surrogates/surrogate.ts";
import type { Objective, OptimizerStep, PackedBatch, PartialScores, TokenScores } from "./backend.ts";
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

/** The objective as a loss that servers know by name. */
export interface KnownLoss extends ServerLoss {
  /** The log-probs that the ratio compares with. */
  readonly old_K: Float32Array;
  /** Advantages times what aggregation makes of a token: minus the objective's derivative where the ratio is 1. */
  readonly advantages_K: Float32Array;
}

/** One optimizer step: a gradient and how to step. */
export interface UpdateRequest extends GradientRequest {
  readonly optimizer: OptimizerStep;
  /** A model elsewhere may ask for the gradient by this name, and sees that it is the objective's. */
  readonly known?: KnownLoss;
}

/** What an optimizer step came to, as far as the model shows it. */
export interface PartialUpdate {
  /** Scores of the training forward, before the step. */
  readonly scores: PartialScores;
  /** Global gradient norm before clipping; NaN when the step was refused, null where the model does not show it. */
  readonly gradNorm: number | null;
  /** What else the place that computes tells of the step, by names of its own. */
  readonly told?: Readonly<Record<string, number>>;
  /** KL(policy || reference) before the step, averaged over positions (nats); null where it is not computed exactly. */
  readonly exactKlNats: number | null;
}

/** The same of a model that computes here. */
export interface UpdateResult extends PartialUpdate {
  readonly scores: TokenScores;
  readonly gradNorm: number;
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

/** The same where the weights are kept elsewhere: only that place can read them. */
export interface StateElsewhere {
  /** What they are called there. */
  readonly path: string;
  readonly optimizerSteps: number;
}

/** What a model that is saved comes to. */
export type KeptState = ModelState | StateElsewhere;

const ELSEWHERE = "the weights of this run lie on a server, and nothing but it can look into them";

/** The tensors of a state. Throws a sentence where they are kept elsewhere. */
export function tensorState(state: KeptState): ModelState {
  if ("path" in state) throw new Error(ELSEWHERE);
  return state;
}

/** What a model lets somebody see beside the log-probs of the tokens that were said. What it does not is absent, never zero. */
export interface ModelSight {
  /** Entropies over the vocabulary, and the log-probs of tokens that were not said. */
  readonly vocabulary: boolean;
  /** Weights, moments and gradients, as numbers. */
  readonly weights: boolean;
}

/** Of a model that computes here. */
export const SEES_ALL: ModelSight = { vocabulary: true, weights: true };

/** A transformer's weights on their way to another, with what the other must have alike. */
export interface ModelWeights {
  readonly config: TransformerConfig;
  /** What its ids stand for, as `tokenizerId` says it; null where that is not known. */
  readonly tokenizer: string | null;
  readonly weights: TensorSet;
}

/** A policy that can be sampled, scored, trained and saved, wherever it computes: here or on a server. */
export interface AnyModel<State extends KeptState = KeptState> {
  readonly report: ModelReport;
  readonly sight: ModelSight;
  policy(): Policy;
  hasReference(): boolean;
  /** Sets the frozen reference to mix * policy + (1 - mix) * reference (the policy itself if there is none yet). */
  refreshReference(mix: number): Promise<void>;
  /** Frees the reference's memory. */
  dropReference(): Promise<void>;
  score(batch: PackedBatch, slot: WeightSlot): Promise<PartialScores>;
  /** An objective that throws ends the update with its error: weights, moments and the next update are as if it had not been. */
  update(request: UpdateRequest): Promise<PartialUpdate>;
  /**
   * The gradient an update would step with, measured only: weights, moments and the next update are as if it had not
   * been. Null where the model does not show it; the objective is asked all the same.
   */
  gradient(request: GradientRequest): Promise<TensorSet | null>;
  save(): Promise<State>;
  /** Remembers weights, moments and reference as they are; what it returns puts them back. */
  hold(): Promise<() => Promise<void>>;
  /** By name: throws a sentence where the tensors are not this model's. */
  load(state: State): Promise<void>;
  /** Lets somebody look while other weights are in the reference's place, which is put back as it was. */
  withReference<T>(weights: TensorSet, look: () => Promise<T>): Promise<T>;
  /** The policy as files of a Hugging Face folder; null for models that have no such form. */
  exportFiles(): Promise<readonly ModelFile[] | null>;
  dispose(): void;
}

/** One that computes here, so that all of it can be seen. */
export interface Model extends AnyModel<ModelState> {
  score(batch: PackedBatch, slot: WeightSlot): Promise<TokenScores>;
  update(request: UpdateRequest): Promise<UpdateResult>;
  gradient(request: GradientRequest): Promise<TensorSet>;
}

/** Whether a model computes here. */
export function isHere(model: AnyModel): model is Model {
  return model.sight.weights;
}

/** A model that computes here; throws a sentence for one that does not. */
export function modelHere(model: AnyModel): Model {
  if (!isHere(model)) throw new Error(ELSEWHERE);
  return model;
}
