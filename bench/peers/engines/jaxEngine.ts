// The jax-js peer: the workload on its WASM device. Threads are jax-js's own choice: one in Node, the
// browser's hardwareConcurrency where memory can be shared.
import { blockUntilReady, defaultDevice, init, numpy as np, random, tree } from "@jax-js/jax";
import { drawData } from "../../measure/inputs.ts";
import type { Workload } from "../../measure/workload.ts";
import type { PeerEngine } from "../engine.ts";
import { type Cache, initialJaxWeights, jaxDecodeStep, jaxTrainStep, type Training, type Weights } from "./jaxModel.ts";

declare const JAX_JS_VERSION: string | undefined;

function zerosLike(weights: Weights): Weights {
  return tree.map((weight: np.Array) => np.zeros(weight.shape), weights) as Weights;
}

function emptyCache({ batch, length, heads, hiddenSize, layers }: Workload): Cache {
  const shape = [batch, length, heads, hiddenSize / heads];
  return Array.from({ length: layers }, () => ({ k: np.zeros(shape), v: np.zeros(shape) }));
}

/** @param threads what jax-js will use here, for the record. */
export async function createJaxEngine(workload: Workload, threads = 1): Promise<PeerEngine> {
  await init("wasm");
  defaultDevice("wasm");
  const { batch, length, heads } = workload;
  const { tokens_BT, advantages_B } = drawData(workload);
  const ids = (from: number) =>
    np.array(Int32Array.from(tokens_BT.flatMap((tokens) => tokens.slice(from, from + length)))).reshape([batch, length]);
  const inputs_BT = ids(0);
  const targets_BT = ids(1);
  const advantages_B1 = np.array(Float32Array.from(advantages_B)).reshape([batch, 1]);
  const firstTokens_B = np.array(Int32Array.from(tokens_BT, (tokens) => tokens[0]!));
  const weights = initialJaxWeights(workload);
  let training: Training = { weights, first: zerosLike(weights), second: zerosLike(weights), step: np.array(0) };
  const trainStep = jaxTrainStep(heads);
  const decodeStep = jaxDecodeStep(heads);
  let rollouts = 0;
  return {
    facts: { version: typeof JAX_JS_VERSION === "string" ? JAX_JS_VERSION : "", threads, note: "jit(valueAndGrad) and AdamW" },
    async train() {
      const [loss, next] = trainStep(training, inputs_BT.ref, targets_BT.ref, advantages_B1.ref);
      training = await blockUntilReady(next);
      const value = (await loss.data())[0]!;
      if (!Number.isFinite(value)) throw new Error(`the loss of jax-js is ${value}`);
    },
    async decode() {
      let tokens_B = firstTokens_B.ref;
      let cache = emptyCache(workload);
      const keys = random.split(random.key(rollouts++), length);
      for (let t = 0; t < length; t++) {
        const [next_B, logprobs_B, nextCache] = decodeStep(tree.ref(training.weights), tokens_B.ref, np.array(t), keys.ref.slice(t), cache);
        tokens_B.dispose();
        tokens_B = next_B;
        cache = nextCache;
        await logprobs_B.data();
      }
      keys.dispose();
      tokens_B.dispose();
      tree.dispose(cache);
    },
    products: () => null,
    engineBytes: () => null,
  };
}
