// What tfjs lacks for writing objectives: a way to hold a value fixed, and minimum and maximum that
// share the derivative between equal arguments as other systems do.
import * as tf from "@tensorflow/tfjs";

/**
 * compute(...inputs) as a constant: nothing of it is differentiated, as with a stop-gradient. So
 * comparisons, which have no gradient in tfjs, may appear inside.
 */
export function held(compute: (...inputs: tf.Tensor[]) => tf.Tensor, ...inputs: tf.Tensor[]): tf.Tensor {
  const shapes = inputs.map(({ shape }) => shape);
  return tf.customGrad((...args) => ({
    // The save function comes last.
    value: compute(...(args.slice(0, shapes.length) as tf.Tensor[])),
    gradFunc: () => shapes.map((shape) => tf.zeros(shape)),
  }))(...inputs);
}

/** min(a, b) of equal shapes; where they are equal each gets half the derivative. */
export function lesser(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
  // tfjs gives all of it to the first: so each comes first once.
  return tf.mul(tf.add(tf.minimum(a, b), tf.minimum(b, a)), 0.5);
}

/** max(a, b) of equal shapes; where they are equal each gets half the derivative. */
export function greater(a: tf.Tensor, b: tf.Tensor): tf.Tensor {
  return tf.mul(tf.add(tf.maximum(a, b), tf.maximum(b, a)), 0.5);
}

/** 1 where the condition holds, 0 elsewhere. */
export function indicator(condition: tf.Tensor): tf.Tensor {
  return tf.cast(condition, "float32");
}
