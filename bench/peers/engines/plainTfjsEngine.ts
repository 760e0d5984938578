// The peer written in plain TensorFlow.js, on its WASM backend: one update with the library's gradients
// and AdamW weight by weight, and a rollout whose key/value cache grows by concatenation.
import * as tf from "@tensorflow/tfjs";
import { tidy } from "../../../src/model/composed/differentiable.ts";
import { startTfjs } from "../../../src/model/composed/tfjs.ts";
import type { Host } from "../../../src/train/host.ts";
import { drawData, OPTIMIZER } from "../../measure/inputs.ts";
import type { Workload } from "../../measure/workload.ts";
import type { PeerEngine } from "../engine.ts";
import { initialPlainWeights, listWeights, type PlainCache, plainDecodeStep, plainLoss } from "./plainTfjsModel.ts";

/** AdamW with the gradient clipped to a global norm (Loshchilov & Hutter 2019, algorithm 2). */
function createAdamw(variables: readonly tf.Variable[]): (gradients: readonly tf.Tensor[]) => void {
  const zeros = () => variables.map((variable) => tf.variable(tf.zeros(variable.shape), false));
  const [firsts, seconds] = [zeros(), zeros()];
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = OPTIMIZER;
  let step = 0;
  return (gradients) => {
    step++;
    const norm = tf.sqrt(tf.addN(gradients.map((gradient) => gradient.square().sum())));
    const scale = tf.minimum(tf.scalar(maxGradNorm).div(norm.add(1e-6)), 1);
    for (const [i, variable] of variables.entries()) {
      const gradient = gradients[i]!.mul(scale);
      const [first, second] = [firsts[i]!, seconds[i]!];
      first.assign(first.mul(beta1).add(gradient.mul(1 - beta1)));
      second.assign(second.mul(beta2).add(gradient.square().mul(1 - beta2)));
      const move = first.div(1 - beta1 ** step).div(tf.sqrt(second.div(1 - beta2 ** step)).add(eps));
      variable.assign(variable.mul(1 - learningRate * weightDecay).sub(move.mul(learningRate)));
    }
  };
}

function cacheTensors(cache: readonly PlainCache[] | null): readonly tf.Tensor[] {
  return (cache ?? []).flatMap(({ k, v }) => [k, v]);
}

/** Makes the peer's weights and answers for it. */
export async function createPlainTfjsEngine(workload: Workload, host: Host): Promise<PeerEngine> {
  const threads = await startTfjs("wasm", host);
  const { batch, length } = workload;
  const { tokens_BT, advantages_B } = drawData(workload);
  const ids = (from: number) =>
    tf.tensor1d(
      tokens_BT.flatMap((tokens) => tokens.slice(from, from + length)),
      "int32",
    );
  const [inputs_N, targets_N] = [ids(0), ids(1)];
  const advantages_B1 = tf.tensor2d(advantages_B, [batch, 1]);
  const firstTokens_B = tf.tensor1d(
    Int32Array.from(tokens_BT, (tokens) => tokens[0]!),
    "int32",
  );
  const weights = initialPlainWeights(workload);
  const variables = listWeights(weights);
  const adamw = createAdamw(variables);
  return {
    facts: { version: tf.version["tfjs-core"] ?? "", threads, note: "the library's own gradients" },
    async train() {
      const loss = tf.tidy(() => {
        const { value, grads } = tf.variableGrads(() => plainLoss(weights, workload, inputs_N, targets_N, advantages_B1), [...variables]);
        adamw(variables.map((variable) => grads[variable.name]!));
        return value;
      });
      const value = (await loss.data())[0]!;
      loss.dispose();
      if (!Number.isFinite(value)) throw new Error(`the loss of plain TensorFlow.js is ${value}`);
    },
    async decode() {
      let tokens_B: tf.Tensor1D = firstTokens_B.clone();
      let cache: PlainCache[] | null = null;
      for (let t = 0; t < length; t++) {
        const next: ReturnType<typeof plainDecodeStep> = tidy(() => plainDecodeStep(weights, workload, tokens_B, t, cache));
        await next.logprobs_B.data();
        for (const old of [tokens_B, next.logprobs_B, ...cacheTensors(cache)]) old.dispose();
        ({ tokens_B, cache } = next);
      }
      for (const old of [tokens_B, ...cacheTensors(cache)]) old.dispose();
    },
    products: () => null,
    engineBytes: () => null,
  };
}
