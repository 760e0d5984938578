// The few operations whose gradient tfjs lacks on some backend or computes slowly: gathering has none
// on WASM, and a product's default gradient takes a path many times slower than explicit transposes.
// What a gradient needs is saved, as tensors of the forward pass are freed before it runs.
import * as tf from "@tensorflow/tfjs";

/**
 * tf.customGrad with its types put right: `compute` gives the value and the tensors that are saved for `backward`,
 * which gives a gradient for each input.
 */
function withGradient<T extends tf.Tensor>(
  inputs: readonly tf.Tensor[],
  compute: () => { readonly value: tf.Tensor; readonly saved: readonly tf.Tensor[] },
  backward: (dy: tf.Tensor2D, saved: readonly tf.Tensor2D[]) => tf.Tensor[],
): T {
  return tf.customGrad((...given) => {
    const save = given.at(-1) as tf.GradSaveFunc;
    const { value, saved } = compute();
    save([...saved]);
    return { value, gradFunc: (dy: tf.Tensor, kept: tf.Tensor[]) => backward(dy as tf.Tensor2D, kept as tf.Tensor2D[]) };
  })(...inputs) as T;
}

/** y = x w for x [N, I], w [I, O]. */
export function linear(x_NI: tf.Tensor2D, w_IO: tf.Tensor2D): tf.Tensor2D {
  return withGradient(
    [x_NI, w_IO],
    () => ({ value: tf.matMul(x_NI, w_IO), saved: [x_NI, w_IO] }),
    (dy, [x, w]) => [tf.matMul(dy, tf.transpose(w!)), tf.matMul(tf.transpose(x!), dy)],
  );
}

/** Rows of the embedding [V, D] for tokens [N]; its gradient is one-hot(tokens)^T dy. */
export function embed(table_VD: tf.Tensor2D, tokens_N: tf.Tensor1D): tf.Tensor2D {
  return withGradient(
    [table_VD],
    () => ({ value: tf.gather(table_VD, tokens_N), saved: [tokens_N] }),
    (dy, [tokens]) => [tf.matMul(tf.transpose(tf.oneHot(tokens!, table_VD.shape[0]).toFloat() as tf.Tensor2D), dy)],
  );
}

/**
 * Rows rows_K of x [N, D], each taken at most once. `inverse_N` names for each row of x its place in
 * rows_K, or K where it is not taken; so the gradient gathers too.
 */
export function takeRows(x_ND: tf.Tensor2D, rows_K: tf.Tensor1D, inverse_N: tf.Tensor1D): tf.Tensor2D {
  return withGradient(
    [x_ND],
    () => ({ value: tf.gather(x_ND, rows_K), saved: [inverse_N] }),
    (dy, [inverse]) => [tf.gather(tf.concat([dy, tf.zeros<tf.Rank.R2>([1, x_ND.shape[1]])]), inverse as tf.Tensor as tf.Tensor1D)],
  );
}

/** x / sqrt(mean(x^2) + eps) * w over the last axis of [N, D] (Zhang and Sennrich 2019, equation 4). */
export function rmsNorm(x_ND: tf.Tensor2D, w_D: tf.Tensor, eps: number): tf.Tensor2D {
  return withGradient(
    [x_ND, w_D],
    () => {
      const inverse_N1 = tf.rsqrt(tf.add(tf.mean(tf.square(x_ND as tf.Tensor), 1, true), eps));
      return { value: tf.mul(tf.mul(x_ND, inverse_N1), w_D), saved: [x_ND, w_D, inverse_N1] };
    },
    (dy, [x, w, inverse_N1]) => {
      const normal_ND = tf.mul(x!, inverse_N1!);
      const scaled_ND = tf.mul(dy, w!);
      const along_N1 = tf.mean(tf.mul(scaled_ND, normal_ND), 1, true);
      return [tf.mul(inverse_N1!, tf.sub(scaled_ND, tf.mul(normal_ND, along_N1))), tf.sum(tf.mul(dy, normal_ND), 0)];
    },
  );
}

/** cos and sin of the angles, [B or 1, T, 1, head], halves repeated as rotate-half wants them. */
export interface Rotation {
  readonly cos: tf.Tensor;
  readonly sin: tf.Tensor;
}

function rotateHalf(x_BTHC: tf.Tensor4D): tf.Tensor {
  const half = x_BTHC.shape[3] / 2;
  const first = tf.slice(x_BTHC, [0, 0, 0, 0], [-1, -1, -1, half]);
  const second = tf.slice(x_BTHC, [0, 0, 0, half], [-1, -1, -1, half]);
  return tf.concat([tf.neg(second), first], 3);
}

/** Rotary embedding of [B, T, H, head] (Su et al. 2021); its gradient turns back by the same angle. */
export function rotate(x_BTHC: tf.Tensor4D, { cos, sin }: Rotation): tf.Tensor4D {
  return withGradient(
    [x_BTHC],
    () => ({ value: tf.add(tf.mul(x_BTHC, cos), tf.mul(rotateHalf(x_BTHC), sin)), saved: [cos, sin] }),
    (dy, [cos, sin]) => [tf.sub(tf.mul(dy as tf.Tensor, cos!), tf.mul(rotateHalf(dy as tf.Tensor as tf.Tensor4D), sin!))],
  );
}

/** tf.tidy for any plain object of tensors: frees every tensor made inside but those returned. */
export function tidy<T extends object>(compute: () => T): T {
  return tf.tidy(compute as unknown as () => tf.TensorContainer) as unknown as T;
}
