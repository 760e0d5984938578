// The Llama transformer written with tfjs operations, as transformers computes it.
// It serves training (whole sequences, no cache) and sampling (a cache of keys and values) alike.
import * as tf from "@tensorflow/tfjs";
import type { TransformerConfig } from "../transformerConfig.ts";
import { embed, linear, type Rotation, rmsNorm, rotate } from "./differentiable.ts";
import type { WeightSet } from "./weightSet.ts";

/** Keys and values of one layer, [B, KV heads, past, head]. */
export interface LayerCache {
  readonly keys: tf.Tensor4D;
  readonly values: tf.Tensor4D;
}

/** B sequences of T new tokens. */
export interface Block {
  readonly B: number;
  readonly T: number;
  /** Flat, row b * T + t. */
  readonly tokens_N: tf.Tensor1D;
  readonly rotation: Rotation;
  /** Added to the scores: 0 where a new token may look, very negative elsewhere; [B or 1, 1, heads / kvHeads * T, past + T]. */
  readonly mask: tf.Tensor4D;
}

/** Finite, so that a fully masked row gives no NaN, and far below any score. */
export const HIDDEN = -1e9;

/** cos and sin for positions [B, T], row by row; B may be 1 for all. */
export function rotationOf(config: TransformerConfig, positions_BT: readonly number[], B: number): Rotation {
  const { headSize, ropeTheta } = config;
  const T = positions_BT.length / B;
  const angles = positions_BT.flatMap((position) =>
    Array.from({ length: headSize }, (_, c) => position * ropeTheta ** (-(2 * (c % (headSize / 2))) / headSize)),
  );
  const shape = [B, T, 1, headSize];
  return { cos: tf.tensor(angles.map(Math.cos), shape), sin: tf.tensor(angles.map(Math.sin), shape) };
}

/** [B, T, heads, C] to [B, KV, heads / KV * T, C]: query heads that share a key head lie one after another. */
function byKeyHead(x_BTHC: tf.Tensor4D, kvHeads: number): tf.Tensor4D {
  const [B, T, H, C] = x_BTHC.shape;
  return tf.reshape(tf.transpose(x_BTHC, [0, 2, 1, 3]), [B, kvHeads, (H / kvHeads) * T, C]);
}

/** Queries and keys side by side, [N, (heads + KV heads) * C], each head normed where the model does that. */
function normedHeads(config: TransformerConfig, weights: WeightSet, layer: string, qk: tf.Tensor2D): tf.Tensor2D {
  const { heads, kvHeads, headSize: C, rmsNormEps, headNorm } = config;
  if (!headNorm) return qk;
  const norm = (name: string, first: number, count: number) =>
    tf.reshape(
      rmsNorm(
        tf.reshape(tf.slice(qk, [0, first * C], [-1, count * C]), [-1, C]) as tf.Tensor2D,
        weights.get(`${layer}self_attn.${name}`),
        rmsNormEps,
      ),
      [-1, count * C],
    ) as tf.Tensor2D;
  return tf.concat([norm("q_norm", 0, heads), norm("k_norm", heads, kvHeads)], 1);
}

function attention(config: TransformerConfig, weights: WeightSet, layer: string, x_ND: tf.Tensor2D, block: Block, past: LayerCache | null) {
  const { heads, kvHeads, headSize } = config;
  const { B, T } = block;
  const product = linear(x_ND, weights.get(`${layer}self_attn.qkv`));
  const qkv = config.qkvBias ? tf.add(product, weights.get(`${layer}self_attn.qkv.bias`)) : product;
  const both = heads + kvHeads;
  // q and k lie side by side and turn together; v does not turn.
  const qk_BTHC = rotate(
    tf.reshape(normedHeads(config, weights, layer, tf.slice(qkv, [0, 0], [-1, both * headSize]) as tf.Tensor2D), [B, T, both, headSize]),
    block.rotation,
  );
  const v_BTHC = tf.reshape(tf.slice(qkv, [0, both * headSize], [-1, kvHeads * headSize]), [B, T, kvHeads, headSize]) as tf.Tensor4D;
  const queries = byKeyHead(tf.slice(qk_BTHC, [0, 0, 0, 0], [-1, -1, heads, -1]), kvHeads);
  const newKeys = tf.transpose(tf.slice(qk_BTHC, [0, 0, heads, 0], [-1, -1, kvHeads, -1]), [0, 2, 1, 3]);
  const newValues = tf.transpose(v_BTHC, [0, 2, 1, 3]);
  const keys = past ? tf.concat([past.keys, newKeys], 2) : newKeys;
  const values = past ? tf.concat([past.values, newValues], 2) : newValues;
  const scores = tf.add(tf.mul(tf.matMul(queries, keys, false, true), headSize ** -0.5), block.mask);
  const mixed = tf.matMul(tf.softmax(scores), values);
  const heads_BHTC = tf.reshape(mixed, [B, heads, T, headSize]);
  const joined = tf.reshape(tf.transpose(heads_BHTC, [0, 2, 1, 3]), [B * T, heads * headSize]) as tf.Tensor2D;
  return { output: linear(joined, weights.get(`${layer}self_attn.o_proj`)), cache: { keys, values } };
}

/** down(silu(gate x) * up x) (Shazeer 2020, "GLU variants improve transformer"). */
function feedForward(config: TransformerConfig, weights: WeightSet, layer: string, x_ND: tf.Tensor2D): tf.Tensor2D {
  const F = config.intermediateSize;
  const both = linear(x_ND, weights.get(`${layer}mlp.gate_up`));
  const gate = tf.slice(both, [0, 0], [-1, F]);
  const up = tf.slice(both, [0, F], [-1, F]);
  return linear(tf.mul(tf.mul(gate, tf.sigmoid(gate)), up), weights.get(`${layer}mlp.down_proj`));
}

/** Hidden states after the last norm, [B * T, D], and the caches with the new tokens added. */
export function forward(config: TransformerConfig, weights: WeightSet, block: Block, past: readonly LayerCache[] | null) {
  const caches: LayerCache[] = [];
  let x_ND = embed(weights.get("model.embed_tokens"), block.tokens_N);
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}.`;
    const attended = attention(
      config,
      weights,
      at,
      rmsNorm(x_ND, weights.get(`${at}input_layernorm`), config.rmsNormEps),
      block,
      past?.[layer] ?? null,
    );
    caches.push(attended.cache);
    x_ND = tf.add(x_ND, attended.output);
    x_ND = tf.add(x_ND, feedForward(config, weights, at, rmsNorm(x_ND, weights.get(`${at}post_attention_layernorm`), config.rmsNormEps)));
  }
  return { hidden_ND: rmsNorm(x_ND, weights.get("model.norm"), config.rmsNormEps), caches };
}

/** Logits [K, V] of hidden states [K, D]. */
export function logitsOf(config: TransformerConfig, weights: WeightSet, hidden_KD: tf.Tensor2D): tf.Tensor2D {
  const head_DV = config.tiedEmbeddings ? tf.transpose(weights.get("model.embed_tokens")) : weights.get("lm_head");
  return linear(hidden_KD, head_DV);
}
