// AdamW (Loshchilov and Hutter 2019, algorithm 2, with PyTorch's order: weights decay first) and SGD
// over tf.Variables, with the gradient clipped by its global norm.
import * as tf from "@tensorflow/tfjs";
import type { OptimizerStep } from "../backend.ts";
import type { WeightSet } from "./weightSet.ts";

/** L2 norm over all gradients; the squares of each are summed by tfjs, the sums here. */
export async function globalNorm(gradients: readonly tf.Tensor[]): Promise<number> {
  const sums = tf.tidy(() => gradients.map((gradient) => tf.sum(tf.square(gradient))));
  let total = 0;
  for (const sum of sums) total += (await sum.data())[0]!;
  tf.dispose(sums);
  return Math.sqrt(total);
}

/** Moments of AdamW and the steps taken. */
interface Moments {
  readonly first: WeightSet;
  readonly second: WeightSet;
  readonly step: number;
}

/** Moves the weights by one step; `moments.step` is the number of this step, from 1. */
export function applyStep(
  weights: WeightSet,
  gradients: readonly tf.Tensor[],
  norm: number,
  options: OptimizerStep,
  moments: Moments,
): void {
  const { learningRate: rate, beta1, beta2, eps, weightDecay, maxGradNorm } = options;
  const clip = maxGradNorm > 0 && norm > maxGradNorm ? maxGradNorm / (norm + 1e-6) : 1;
  const firstCorrection = 1 - beta1 ** moments.step;
  const secondCorrection = 1 - beta2 ** moments.step;
  for (const [i, weight] of weights.variables.entries()) {
    tf.tidy(() => {
      const gradient = tf.mul(gradients[i]!, clip);
      const decayed = tf.mul(weight as tf.Tensor, 1 - rate * weightDecay);
      if (options.kind === "sgd") {
        weight.assign(tf.sub(decayed, tf.mul(gradient, rate)));
        return;
      }
      const first = moments.first.variables[i]!;
      const second = moments.second.variables[i]!;
      first.assign(tf.add(tf.mul(first as tf.Tensor, beta1), tf.mul(gradient, 1 - beta1)));
      second.assign(tf.add(tf.mul(second as tf.Tensor, beta2), tf.mul(tf.square(gradient), 1 - beta2)));
      const denominator = tf.add(tf.sqrt(tf.div(second as tf.Tensor, secondCorrection)), eps);
      weight.assign(tf.sub(decayed, tf.mul(tf.div(first as tf.Tensor, denominator), rate / firstCorrection)));
    });
  }
}
