// Shape of a transformer of Llama's kind, and the one place that says which weights it has, in which order,
// and which of them training moves. Names and shapes are Hugging Face's.

import type { ModelSizes } from "../kernels/modelSizes.ts";
import { layoutOf, sizeOf, type TensorLayout } from "./tensors.ts";

export interface TransformerConfig extends ModelSizes {
  readonly ropeTheta: number;
  readonly maxPositions: number;
}

/** Whether a tensor is of the head that foresees rewards, which a model may have or lack beside the same weights. */
export const isValueHead = (name: string): boolean => name.startsWith("value_head.");

/** All weights in the order of the flat buffer. */
export function parameterLayout(config: TransformerConfig): TensorLayout {
  const { vocabularySize: V, hiddenSize: D, intermediateSize: F, headSize, heads, kvHeads } = config;
  const shapes: [string, readonly number[]][] = [["model.embed_tokens.weight", [V, D]]];
  const Q = heads * headSize;
  const KV = kvHeads * headSize;
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}.`;
    shapes.push(
      [`${at}input_layernorm.weight`, [D]],
      [`${at}self_attn.q_proj.weight`, [Q, D]],
      [`${at}self_attn.k_proj.weight`, [KV, D]],
      [`${at}self_attn.v_proj.weight`, [KV, D]],
    );
    // Behind the three matrices, which kernels multiply as one.
    if (config.qkvBias)
      shapes.push([`${at}self_attn.q_proj.bias`, [Q]], [`${at}self_attn.k_proj.bias`, [KV]], [`${at}self_attn.v_proj.bias`, [KV]]);
    if (config.headNorm) shapes.push([`${at}self_attn.q_norm.weight`, [headSize]], [`${at}self_attn.k_norm.weight`, [headSize]]);
    shapes.push(
      [`${at}self_attn.o_proj.weight`, [D, Q]],
      [`${at}post_attention_layernorm.weight`, [D]],
      [`${at}mlp.gate_proj.weight`, [F, D]],
      [`${at}mlp.up_proj.weight`, [F, D]],
      [`${at}mlp.down_proj.weight`, [D, F]],
    );
  }
  shapes.push(["model.norm.weight", [D]]);
  if (!config.tiedEmbeddings) shapes.push(["lm_head.weight", [V, D]]);
  if (config.valueHead) shapes.push(["value_head.weight", [1, D]], ["value_head.bias", [1]]);
  return layoutOf(shapes.map(([name, shape]) => ({ name, shape, trainable: true })));
}

/** Number of weights in all. */
export function parameterCount(config: TransformerConfig): number {
  return sizeOf(parameterLayout(config));
}
