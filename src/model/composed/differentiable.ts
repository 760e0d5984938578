// The few operations whose gradient tfjs lacks on some backend or computes slowly: gathering has none
// on WASM, and a product's default gradient takes a path many times slower than explicit transposes.
// What a gradient needs is saved, as tensors of the forward pass are freed before it runs.
import * as tf from "@tensorflow/tfjs";

/** y = x w for x [N, I], w [I, O]. */
export function linear(x_NI: tf.Tensor2D, w_IO: tf.Tensor2D): tf.Tensor2D {
  return tf.customGrad((x, w, save) => {
    (save as tf.GradSaveFunc)([x as tf.Tensor, w as tf.Tensor]);
    return {
      value: tf.matMul(x as tf.Tensor2D, w as tf.Tensor2D),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [x, w] = saved as [tf.Tensor2D, tf.Tensor2D];
        return [tf.matMul(dy as tf.Tensor2D, tf.transpose(w)), tf.matMul(tf.transpose(x), dy as tf.Tensor2D)];
      },
    };
  })(x_NI, w_IO) as tf.Tensor2D;
}

/** Rows of the embedding [V, D] for tokens [N]; its gradient is one-hot(tokens)^T dy. */
export function embed(table_VD: tf.Tensor2D, tokens_N: tf.Tensor1D): tf.Tensor2D {
  return tf.customGrad((table, save) => {
    (save as tf.GradSaveFunc)([tokens_N]);
    return {
      value: tf.gather(table as tf.Tensor2D, tokens_N),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const hot_NV = tf.oneHot(saved[0]!, table_VD.shape[0]).toFloat() as tf.Tensor2D;
        return [tf.matMul(tf.transpose(hot_NV), dy as tf.Tensor2D)];
      },
    };
  })(table_VD) as tf.Tensor2D;
}

/**
 * Rows rows_K of x [N, D], each taken at most once. `inverse_N` names for each row of x its place in
 * rows_K, or K where it is not taken; so the gradient gathers too.
 */
export function takeRows(x_ND: tf.Tensor2D, rows_K: tf.Tensor1D, inverse_N: tf.Tensor1D): tf.Tensor2D {
  return tf.customGrad((x, save) => {
    (save as tf.GradSaveFunc)([inverse_N]);
    return {
      value: tf.gather(x as tf.Tensor2D, rows_K),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const withZero = tf.concat([dy as tf.Tensor2D, tf.zeros<tf.Rank.R2>([1, x_ND.shape[1]])]);
        return [tf.gather(withZero, saved[0] as tf.Tensor1D)];
      },
    };
  })(x_ND) as tf.Tensor2D;
}

/** x / sqrt(mean(x^2) + eps) * w over the last axis of [N, D] (Zhang and Sennrich 2019, equation 4). */
export function rmsNorm(x_ND: tf.Tensor2D, w_D: tf.Tensor, eps: number): tf.Tensor2D {
  return tf.customGrad((x, w, save) => {
    const inverse_N1 = tf.rsqrt(tf.add(tf.mean(tf.square(x as tf.Tensor), 1, true), eps));
    (save as tf.GradSaveFunc)([x as tf.Tensor, w as tf.Tensor, inverse_N1]);
    return {
      value: tf.mul(tf.mul(x as tf.Tensor, inverse_N1), w as tf.Tensor),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => {
        const [x, w, inverse_N1] = saved as [tf.Tensor, tf.Tensor, tf.Tensor];
        const normal_ND = tf.mul(x, inverse_N1);
        const scaled_ND = tf.mul(dy, w);
        const along_N1 = tf.mean(tf.mul(scaled_ND, normal_ND), 1, true);
        return [tf.mul(inverse_N1, tf.sub(scaled_ND, tf.mul(normal_ND, along_N1))), tf.sum(tf.mul(dy, normal_ND), 0)];
      },
    };
  })(x_ND, w_D) as tf.Tensor2D;
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
  return tf.customGrad((x, save) => {
    (save as tf.GradSaveFunc)([cos, sin]);
    return {
      value: tf.add(tf.mul(x as tf.Tensor, cos), tf.mul(rotateHalf(x as tf.Tensor4D), sin)),
      gradFunc: (dy: tf.Tensor, saved: tf.Tensor[]) => [tf.sub(tf.mul(dy, saved[0]!), tf.mul(rotateHalf(dy as tf.Tensor4D), saved[1]!))],
    };
  })(x_BTHC) as tf.Tensor4D;
}

/** tf.tidy for any plain object of tensors: frees every tensor made inside but those returned. */
export function tidy<T extends object>(compute: () => T): T {
  return tf.tidy(compute as unknown as () => tf.TensorContainer) as unknown as T;
}
