// What the objective on tensors reads. Tables are [Q, T]: one row per sequence, padded at the end, with
// mask 0 at padding as at any token that is not trained.
import type * as tf from "@tensorflow/tfjs";
import type { ObjectiveConfig, ObjectiveTotals } from "../../../rl/objective/types.ts";

/** What the policy and the critic say now: the objective is differentiated with respect to these. */
export interface ScoreTables {
  readonly logprobs_QT: tf.Tensor;
  readonly entropies_QT: tf.Tensor;
  readonly values_QT: tf.Tensor | null;
}

/** What stays as it is while the policy moves. */
export interface FixedTables {
  readonly oldLogprobs_QT: tf.Tensor;
  readonly refLogprobs_QT: tf.Tensor | null;
  readonly advantages_QT: tf.Tensor;
  /** 1 where the token is trained. */
  readonly mask_QT: tf.Tensor;
  readonly oldValues_QT: tf.Tensor | null;
  readonly returns_QT: tf.Tensor | null;
  readonly totals: ObjectiveTotals;
}

export interface RatioTables {
  /** Importance ratio of each token; that of its sequence with sequence ratios; 1 where it is not trained. */
  readonly ratio_QT: tf.Tensor;
  /** new - old log-prob; 0 where the token is not trained. */
  readonly logRatio_QT: tf.Tensor;
  /** Trained tokens of each sequence. */
  readonly trained_Q1: tf.Tensor;
}

/** Per-token policy loss [Q, T], before masks and aggregation. */
export type TensorSurrogate = (scores: ScoreTables, fixed: FixedTables, ratios: RatioTables, config: ObjectiveConfig) => tf.Tensor;
