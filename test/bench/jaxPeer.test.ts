// The jax-js peer computes the project's transformer and objective, so that its time is comparable.
import { defaultDevice, init, numpy as np, random, tree } from "@jax-js/jax";
import { beforeAll, describe, expect, it } from "vitest";
import { CLIP, drawData, OLD_LOGPROB } from "../../bench/inputs.ts";
import { createJaxEngine } from "../../bench/peers/jaxEngine.ts";
import { initialJaxWeights, jaxDecodeStep, jaxTrainStep, type Weights } from "../../bench/peers/jaxModel.ts";
import { transformerOf, workloadOf } from "../../bench/workload.ts";
import { plainForward, plainLogSoftmax } from "../../src/model/plainForward.ts";
import { parameterCount, parameterLayout } from "../../src/model/transformerConfig.ts";

const workload = {
  ...workloadOf("tiny"),
  layers: 1,
  hiddenSize: 16,
  heads: 2,
  intermediateSize: 24,
  vocabularySize: 32,
  batch: 2,
  length: 4,
};
const { hiddenSize: D, intermediateSize: F, heads, batch, length } = workload;
const config = transformerOf(workload);

/** Columns [from, from + count) of a matrix [inputs, columns], transposed to rows as in the flat layout. */
function columns(matrix: Float32Array, width: number, from: number, count: number): Float32Array {
  const inputs = matrix.length / width;
  return Float32Array.from({ length: count * inputs }, (_, i) => matrix[(i % inputs) * width + from + Math.floor(i / inputs)]!);
}

/** The peer's weights in the order of parameterLayout. */
async function flatWeights(weights: Weights): Promise<Float32Array> {
  const read = async (array: np.Array) => Float32Array.from(await array.ref.data());
  const flat_N = new Float32Array(parameterCount(config));
  const slices = new Map(parameterLayout(config).map(({ name, offset }) => [name, offset]));
  const put = (name: string, values: Float32Array) => flat_N.set(values, slices.get(name)!);
  put("model.embed_tokens.weight", await read(weights.embed));
  put("model.norm.weight", await read(weights.norm));
  for (const [l, layer] of weights.layers.entries()) {
    const at = `model.layers.${l}.`;
    const [qkv, gateUp] = [await read(layer.qkv), await read(layer.gateUp)];
    put(`${at}input_layernorm.weight`, await read(layer.norm1));
    for (const [i, name] of ["q", "k", "v"].entries()) put(`${at}self_attn.${name}_proj.weight`, columns(qkv, 3 * D, i * D, D));
    put(`${at}self_attn.o_proj.weight`, columns(await read(layer.o), D, 0, D));
    put(`${at}post_attention_layernorm.weight`, await read(layer.norm2));
    for (const [i, name] of ["gate", "up"].entries()) put(`${at}mlp.${name}_proj.weight`, columns(gateUp, 2 * F, i * F, F));
    put(`${at}mlp.down_proj.weight`, columns(await read(layer.down), D, 0, D));
  }
  return flat_N;
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
    let expected = 0;
    for (const [b, tokens] of tokens_BT.entries()) {
      const { logits_TV } = plainForward(config, flat_N, tokens.slice(0, length));
      for (const [t, logits_V] of logits_TV.entries()) {
        const ratio = Math.exp(plainLogSoftmax(logits_V, 1)[tokens[t + 1]!]! - OLD_LOGPROB);
        const advantage = advantages_B[b]!;
        expected -= Math.min(ratio * advantage, Math.min(1 + CLIP, Math.max(1 - CLIP, ratio)) * advantage) / (batch * length);
      }
    }
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
        const logits_V = plainForward(config, flat_N, sequence).logits_TV.at(-1)!;
        expect(logprobs[b]).toBeCloseTo(plainLogSoftmax(logits_V, 1)[next[b]!]!, 4);
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
