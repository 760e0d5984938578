// Mean, spread and standard deviation of the completions of each group, on tensors. The whole batch is
// the case of a single group.
import * as tf from "@tensorflow/tfjs";

/** Values of completions, some of which may be missing. */
export interface CompletionValues {
  /** 0 where missing. */
  readonly values_Q: tf.Tensor;
  /** 1 where there is a value. */
  readonly present_Q: tf.Tensor;
}

/** One number per completion: the figure of its group. */
export interface GroupFigures {
  readonly count_Q: tf.Tensor;
  readonly mean_Q: tf.Tensor;
  /** 0 with fewer than two values. */
  readonly std_Q: tf.Tensor;
  /** 1 where the group's values are equal up to the rounding of float32, or fewer than two. */
  readonly equal_Q: tf.Tensor;
}

/** Values nearer than this, relative to the larger of 1 and their size, are the same in float32. */
const RESOLUTION = 2.4e-7;
/** Above any reward; finite, so that 0 times it is 0. */
const BEYOND = 1e30;

/** Which completion is in which group, [G, Q] of 0 and 1. */
export function membership(groupOf_Q: ArrayLike<number>): tf.Tensor2D {
  const groups = Array.from(groupOf_Q).reduce((largest, group) => Math.max(largest, group + 1), 1);
  // A one-hot row of a single group is refused, a comparison is not.
  return tf.cast(tf.equal(tf.expandDims(tf.range(0, groups), 1), tf.tensor1d(Array.from(groupOf_Q))), "float32") as tf.Tensor2D;
}

/** All completions as one group, [1, Q]. */
export function wholeBatch(Q: number): tf.Tensor2D {
  return tf.ones([1, Q]);
}

/** The sum over each group, at each of its completions, [Q]. */
export function groupSum(values_Q: tf.Tensor, member_GQ: tf.Tensor2D): tf.Tensor {
  return atMembers(tf.sum(tf.mul(member_GQ, values_Q), 1), member_GQ);
}

/** A figure of each group [G] at its completions, [Q]. */
function atMembers(figure_G: tf.Tensor, member_GQ: tf.Tensor2D): tf.Tensor {
  return tf.sum(tf.mul(member_GQ, tf.expandDims(figure_G, 1)), 0);
}

/** Figures of the present values. @param kind "sample" divides by n - 1, "population" by n. */
export function groupFigures(
  { values_Q, present_Q }: CompletionValues,
  member_GQ: tf.Tensor2D,
  kind: "sample" | "population",
): GroupFigures {
  const count_Q = groupSum(present_Q, member_GQ);
  const mean_Q = tf.div(groupSum(tf.mul(values_Q, present_Q), member_GQ), tf.maximum(count_Q, 1));
  const there_GQ = tf.mul(member_GQ, present_Q);
  const missing_GQ = tf.mul(tf.sub(1, there_GQ), BEYOND);
  const max_Q = atMembers(tf.max(tf.sub(tf.mul(there_GQ, values_Q), missing_GQ), 1), member_GQ);
  const min_Q = atMembers(tf.min(tf.add(tf.mul(there_GQ, values_Q), missing_GQ), 1), member_GQ);
  const size_Q = tf.maximum(tf.maximum(tf.abs(min_Q), tf.abs(max_Q)), 1);
  const isClose_Q = tf.lessEqual(tf.sub(max_Q, min_Q), tf.mul(size_Q, RESOLUTION));
  const equal_Q = tf.cast(tf.logicalOr(isClose_Q, tf.less(count_Q, 2)), "float32");
  const squares_Q = groupSum(tf.mul(tf.square(tf.sub(values_Q, mean_Q)), present_Q), member_GQ);
  const divisor_Q = tf.maximum(kind === "sample" ? tf.sub(count_Q, 1) : count_Q, 1);
  return { count_Q, mean_Q, std_Q: tf.mul(tf.sqrt(tf.div(squares_Q, divisor_Q)), tf.sub(1, equal_Q)), equal_Q };
}

/** std + ε, or 1 where that is 0. */
export function divisorOf(std_Q: tf.Tensor, eps: number): tf.Tensor {
  const sum_Q = tf.add(std_Q, eps);
  return tf.where(tf.greater(sum_Q, 0), sum_Q, tf.onesLike(sum_Q));
}

/** (value - mean) / (std + ε) of each group; 0 where its values are equal. */
export function standardize(values: CompletionValues, member_GQ: tf.Tensor2D, kind: "sample" | "population", eps: number): tf.Tensor {
  const { mean_Q, std_Q, equal_Q } = groupFigures(values, member_GQ, kind);
  return tf.mul(tf.div(tf.sub(values.values_Q, mean_Q), divisorOf(std_Q, eps)), tf.sub(1, equal_Q));
}
