// The jax-js peer computes the project's transformer and objective, so that its time is comparable.
import { defaultDevice, init, numpy as np, random, tree } from "@jax-js/jax";
import { beforeAll, describe, expect, it } from "vitest";
import { drawData } from "../../bench/measure/inputs.ts";
import { createJaxEngine } from "../../bench/peers/engines/jaxEngine.ts";
import { initialJaxWeights, jaxDecodeStep, jaxTrainStep, type Weights } from "../../bench/peers/engines/jaxModel.ts";
import { expectedLogprob, expectedLoss, flatPeerWeights, smallWorkload } from "./peerOracle.ts";

const workload = smallWorkload;
const { hiddenSize: D, heads, batch, length } = workload;

async function flatWeights(weights: Weights): Promise<Float32Array> {
  const read = async (array: np.Array) => Float32Array.from(await array.ref.data());
  const layers = [];
  for (const { norm1, qkv, o, norm2, gateUp, down } of weights.layers) {
    const [a, b, c, d, e, f] = [await read(norm1), await read(qkv), await read(o), await read(norm2), await read(gateUp), await read(down)];
    layers.push({ norm1: a, qkv: b, o: c, norm2: d, gateUp: e, down: f });
  }
  return flatPeerWeights({ embed: await read(weights.embed), norm: await read(weights.norm), layers });
}

// Tracing and compiling take most of the time.
describe("the jax-js peer", { timeout: 120_000 }, () => {
  const { tokens_BT, advantages_B } = drawData(workload);
  const ids = (from: number) =>
    np.array(Int32Array.from(tokens_BT.flatMap((tokens) => tokens.slice(from, from + length)))).reshape([batch, length]);
  const zeros = (weights: Weights) => tree.map((weight: np.Array) => np.zeros(weight.shape), weights) as Weights;

  beforeAll(async () => {
    await init("wasm");
    defaultDevice("wasm");
  });

  it("has the clipped loss of the plain transformer on the same weights", async () => {
    const weights = initialJaxWeights(workload);
    const flat_N = await flatWeights(weights);
    const expected = expectedLoss(flat_N);
    const training = { weights, first: zeros(weights), second: zeros(weights), step: np.array(0) };
    const advantages_B1 = np.array(Float32Array.from(advantages_B)).reshape([batch, 1]);
    const [loss] = jaxTrainStep(heads)(training, ids(0), ids(1), advantages_B1);
    expect((await loss.data())[0]).toBeCloseTo(expected, 4);
  });

  it("decodes with its cache to the log-probs of the plain transformer", async () => {
    const weights = initialJaxWeights(workload);
    const flat_N = await flatWeights(weights);
    const shape = [batch, length, heads, D / heads];
    let cache = Array.from({ length: workload.layers }, () => ({ k: np.zeros(shape), v: np.zeros(shape) }));
    let tokens_B = np.array(Int32Array.from(tokens_BT, (tokens) => tokens[0]!));
    const seen = tokens_BT.map((tokens) => tokens.slice(0, 1));
    const step = jaxDecodeStep(heads);
    for (let t = 0; t < length; t++) {
      const [next_B, logprobs_B, nextCache] = step(tree.ref(weights), tokens_B, np.array(t), random.key(t), cache);
      const [next, logprobs] = [await next_B.ref.data(), await logprobs_B.data()];
      for (const [b, sequence] of seen.entries()) {
        expect(logprobs[b]).toBeCloseTo(expectedLogprob(flat_N, sequence, next[b]!), 4);
        sequence.push(next[b]!);
      }
      [tokens_B, cache] = [next_B, nextCache];
    }
  });

  it("answers both phases again and again", async () => {
    const engine = await createJaxEngine(workload);
    for (let i = 0; i < 2; i++) {
      await engine.train();
      await engine.decode();
    }
    expect(engine.products()).toBeNull();
  });
});
