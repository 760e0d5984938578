// What every peer of the benchmark must compute, from the plain float64 transformer: a small workload,
// its clipped loss on given weights, and the order in which a peer's weights become a flat buffer.
import { CLIP, drawData, OLD_LOGPROB } from "../../bench/measure/inputs.ts";
import { transformerOf, type Workload, workloadOf } from "../../bench/measure/workload.ts";
import { plainForward, plainLogSoftmax } from "../../src/model/plainForward.ts";
import { parameterCount, parameterLayout } from "../../src/model/transformerConfig.ts";

export const smallWorkload: Workload = {
  ...workloadOf("tiny"),
  layers: 1,
  hiddenSize: 16,
  heads: 2,
  intermediateSize: 24,
  vocabularySize: 32,
  batch: 2,
  length: 4,
};

/** A peer's weights as [in, out] matrices, read back. */
export interface PeerWeights {
  readonly embed: Float32Array;
  readonly norm: Float32Array;
  readonly layers: readonly Readonly<Record<"norm1" | "qkv" | "o" | "norm2" | "gateUp" | "down", Float32Array>>[];
}

/** Columns [from, from + count) of a matrix [inputs, columns], transposed to rows as in the flat layout. */
function columns(matrix: Float32Array, width: number, from: number, count: number): Float32Array {
  const inputs = matrix.length / width;
  return Float32Array.from({ length: count * inputs }, (_, i) => matrix[(i % inputs) * width + from + Math.floor(i / inputs)]!);
}

/** The weights in the order of parameterLayout. */
export function flatPeerWeights(weights: PeerWeights): Float32Array {
  const config = transformerOf(smallWorkload);
  const { hiddenSize: D, intermediateSize: F } = smallWorkload;
  const flat_N = new Float32Array(parameterCount(config));
  const slices = new Map(parameterLayout(config).map(({ name, offset }) => [name, offset]));
  const put = (name: string, values: Float32Array) => flat_N.set(values, slices.get(name)!);
  put("model.embed_tokens.weight", weights.embed);
  put("model.norm.weight", weights.norm);
  for (const [l, layer] of weights.layers.entries()) {
    const at = `model.layers.${l}.`;
    put(`${at}input_layernorm.weight`, layer.norm1);
    for (const [i, name] of ["q", "k", "v"].entries()) put(`${at}self_attn.${name}_proj.weight`, columns(layer.qkv, 3 * D, i * D, D));
    put(`${at}self_attn.o_proj.weight`, columns(layer.o, D, 0, D));
    put(`${at}post_attention_layernorm.weight`, layer.norm2);
    for (const [i, name] of ["gate", "up"].entries()) put(`${at}mlp.${name}_proj.weight`, columns(layer.gateUp, 2 * F, i * F, F));
    put(`${at}mlp.down_proj.weight`, columns(layer.down, D, 0, D));
  }
  return flat_N;
}

/** The workload's loss, mean over tokens. */
export function expectedLoss(flat_N: Float32Array): number {
  const { batch, length } = smallWorkload;
  const { tokens_BT, advantages_B } = drawData(smallWorkload);
  let loss = 0;
  for (const [b, tokens] of tokens_BT.entries()) {
    const { logits_TV } = plainForward(transformerOf(smallWorkload), flat_N, tokens.slice(0, length));
    for (const [t, logits_V] of logits_TV.entries()) {
      const ratio = Math.exp(plainLogSoftmax(logits_V, 1)[tokens[t + 1]!]! - OLD_LOGPROB);
      const advantage = advantages_B[b]!;
      loss -= Math.min(ratio * advantage, Math.min(1 + CLIP, Math.max(1 - CLIP, ratio)) * advantage) / (batch * length);
    }
  }
  return loss;
}

/** The log-prob of `token` after a sequence. */
export function expectedLogprob(flat_N: Float32Array, sequence: readonly number[], token: number): number {
  const logits_V = plainForward(transformerOf(smallWorkload), flat_N, sequence).logits_TV.at(-1)!;
  return plainLogSoftmax(logits_V, 1)[token]!;
}
