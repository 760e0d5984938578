// Credit carried back from rewards to tokens, column by column from the last; tokens that are not
// trained are stepped over.
import * as tf from "@tensorflow/tfjs";

function column(table_QT: tf.Tensor, t: number): tf.Tensor {
  return tf.slice(table_QT, [0, t], [-1, 1]);
}

/** `now` in the rows where this column is trained, `before` in the others. */
function stepOver(mask_Q1: tf.Tensor, now_Q1: tf.Tensor, before_Q1: tf.Tensor): tf.Tensor {
  return tf.add(tf.mul(mask_Q1, now_Q1), tf.mul(tf.sub(1, mask_Q1), before_Q1));
}

/** G_t = r_t + γ·G_(next trained token), [Q, T]; 0 where a token is not trained. */
export function discountedReturns(rewards_QT: tf.Tensor, mask_QT: tf.Tensor, discount: number): tf.Tensor {
  const T = rewards_QT.shape[1]!;
  const columns: tf.Tensor[] = [];
  let running_Q1: tf.Tensor = tf.zeros([rewards_QT.shape[0]!, 1]);
  for (let t = T - 1; t >= 0; t--) {
    const return_Q1 = tf.add(column(rewards_QT, t), tf.mul(running_Q1, discount));
    running_Q1 = stepOver(column(mask_QT, t), return_Q1, running_Q1);
    columns.unshift(running_Q1);
  }
  return tf.mul(tf.concat(columns, 1), mask_QT);
}

/** Generalised advantage estimation (Schulman et al. 2016, arXiv 1506.02438, eq. 16) and its returns A + V, [Q, T]. */
export function generalizedAdvantages(
  rewards_QT: tf.Tensor,
  values_QT: tf.Tensor,
  mask_QT: tf.Tensor,
  discount: number,
  lambda: number,
): { readonly advantages_QT: tf.Tensor; readonly returns_QT: tf.Tensor } {
  const T = rewards_QT.shape[1]!;
  const columns: tf.Tensor[] = [];
  let nextValue_Q1: tf.Tensor = tf.zeros([rewards_QT.shape[0]!, 1]);
  let advantage_Q1 = nextValue_Q1;
  for (let t = T - 1; t >= 0; t--) {
    const mask_Q1 = column(mask_QT, t);
    const value_Q1 = column(values_QT, t);
    const delta_Q1 = tf.sub(tf.add(column(rewards_QT, t), tf.mul(nextValue_Q1, discount)), value_Q1);
    advantage_Q1 = stepOver(mask_Q1, tf.add(delta_Q1, tf.mul(advantage_Q1, discount * lambda)), advantage_Q1);
    nextValue_Q1 = stepOver(mask_Q1, value_Q1, nextValue_Q1);
    columns.unshift(advantage_Q1);
  }
  const advantages_QT = tf.mul(tf.concat(columns, 1), mask_QT);
  return { advantages_QT, returns_QT: tf.add(advantages_QT, tf.mul(values_QT, mask_QT)) };
}
