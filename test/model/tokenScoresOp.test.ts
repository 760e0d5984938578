import * as tf from "@tensorflow/tfjs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { selectTfjs, startTfjs } from "../../src/model/tfjs.ts";
import { createTfjsBackend } from "../../src/model/tfjsBackend.ts";
import { createTokenScoresOp, type TokenScoresOp } from "../../src/model/tokenScoresOp.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/batch.ts";
import { criticConfig } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { difference, randomGroups, sharpWeights } from "../support/tokenBatches.ts";
import "../support/kernels.ts";

const batch = packGroups(randomGroups(criticConfig, 41, 3, 3), 1.25);
const other = packGroups(randomGroups(criticConfig, 42, 2, 2), 1);
const weights = sharpWeights(criticConfig, 5);
const tokens = batch.scoreRow_K.length;
const random = new Random(43);
const draws = () => Float32Array.from({ length: tokens }, () => random.normal());
const [a_K, b_K, c_K] = [draws(), draws(), draws()];

for (const name of ["cpu", "wasm"] as const) {
  describe(`the kernels as an operation of TensorFlow.js on ${name}`, () => {
    let op: TokenScoresOp;
    let reference: TransformerBackend;
    let weights_N: tf.Tensor1D;
    beforeAll(async () => {
      await startTfjs(name, createNodeHost());
      op = await createTokenScoresOp(criticConfig, createNodeHost(), 2);
      reference = await createTfjsBackend(criticConfig, name, createNodeHost());
      await reference.setWeights("policy", weights);
      weights_N = tf.keep(tf.tensor1d(weights));
    });
    afterAll(() => {
      weights_N?.dispose();
      op?.dispose();
      reference?.dispose();
    });

    /** sum(a log-prob) + sum(b entropy^2) / 2 + sum(c value). */
    const loss = (x: tf.Tensor1D): tf.Scalar => {
      const { logprobs_K, entropies_K, values_K } = op.tokenScores(x, batch);
      const terms = [tf.mul(a_K, logprobs_K), tf.mul(b_K, tf.div(tf.square(entropies_K), 2)), tf.mul(c_K, values_K!)];
      return tf.sum(tf.addN(terms)) as tf.Scalar;
    };

    /** The same loss's gradient through the composed transformer. */
    async function composedGradient(): Promise<Float32Array> {
      await reference.clearGradient();
      const gradients = ({ entropies_K }: { readonly entropies_K: Float32Array }) => ({
        logprobs_K: a_K,
        entropies_K: entropies_K.map((entropy, k) => b_K[k]! * entropy),
        values_K: c_K,
      });
      await reference.accumulate(batch, gradients, 4096);
      return reference.getGradient();
    }

    it("gives the scores of the composed transformer", async () => {
      const composed = await reference.score(batch, "policy");
      const { logprobs_K, entropies_K, values_K } = op.tokenScores(weights_N, batch);
      expect(difference(await logprobs_K.data<"float32">(), composed.logprobs_K).largest).toBeLessThan(2e-5);
      expect(difference(await entropies_K.data<"float32">(), composed.entropies_K).largest).toBeLessThan(2e-5);
      expect(difference(await values_K!.data<"float32">(), composed.values_K!).largest).toBeLessThan(2e-5);
      tf.dispose([logprobs_K, entropies_K, values_K!]);
    });

    it("carries the gradient of any loss back to the weights, as the composed transformer does", async () => {
      const expected = await composedGradient();
      await selectTfjs(name);
      const before = tf.memory().numTensors;
      const { value, grad } = tf.valueAndGrad((x) => loss(x as tf.Tensor1D))(weights_N);
      expect(difference(await grad.data<"float32">(), expected).largest).toBeLessThan(1e-5 * difference(expected, expected).scale);
      tf.dispose([value, grad]);
      expect(tf.memory().numTensors).toBe(before);
    });

    it("computes again what another pass has overwritten", async () => {
      await selectTfjs(name);
      const alone = tf.grad((x) => loss(x as tf.Tensor1D))(weights_N);
      const mixed = tf.grad((x) => {
        const first = loss(x as tf.Tensor1D);
        const second = tf.mul(0, tf.sum(op.tokenScores(x as tf.Tensor1D, other).logprobs_K));
        return tf.add(first, second);
      })(weights_N);
      expect(difference(await mixed.data<"float32">(), await alone.data<"float32">()).largest).toBeLessThan(1e-6);
      tf.dispose([alone, mixed]);
    });

    it("trains under an optimizer of TensorFlow.js", async () => {
      await selectTfjs(name);
      const variable = tf.variable(weights_N);
      const optimizer = tf.train.adam(0.01);
      const nll = () => tf.neg(tf.mean(op.tokenScores(variable as unknown as tf.Tensor1D, batch).logprobs_K)) as tf.Scalar;
      const first = tf.tidy(() => nll().dataSync()[0]!);
      for (let step = 0; step < 40; step++) optimizer.minimize(nll, false, [variable]);
      const last = tf.tidy(() => nll().dataSync()[0]!);
      expect(first).toBeGreaterThan(1);
      expect(last).toBeLessThan(0.5 * first);
      optimizer.dispose();
      variable.dispose();
    });

    it("says that it was disposed", async () => {
      await selectTfjs(name);
      const gone = await createTokenScoresOp(criticConfig, createNodeHost(), 2);
      gone.dispose();
      expect(() => gone.tokenScores(weights_N, batch)).toThrow("tokenScores was disposed");
    });

    it("refuses weights of another size", () => {
      expect(() => op.tokenScores(tf.zeros([3]), batch)).toThrow(`weights must have ${weights.length} values, got 3`);
    });
  });
}
