// Shape of a Llama-architecture transformer and the order of its weights in one flat buffer. Names
// and shapes are Hugging Face's, so that a checkpoint is a list of slices of that buffer.

import type { ModelSizes } from "../kernels/modelSizes.ts";

export interface TransformerConfig extends ModelSizes {
  readonly ropeTheta: number;
  readonly maxPositions: number;
}

/** One weight tensor: name and [out, in] (or [size]) shape as in Hugging Face's Llama, and where it lies. */
export interface ParameterSlice {
  readonly name: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly size: number;
}

/** All weights in the order of the flat buffer. */
export function parameterLayout(config: TransformerConfig): readonly ParameterSlice[] {
  const { vocabularySize: V, hiddenSize: D, intermediateSize: F, headSize, heads, kvHeads } = config;
  const shapes: [string, readonly number[]][] = [["model.embed_tokens.weight", [V, D]]];
  for (let layer = 0; layer < config.layers; layer++) {
    const at = `model.layers.${layer}.`;
    shapes.push(
      [`${at}input_layernorm.weight`, [D]],
      [`${at}self_attn.q_proj.weight`, [heads * headSize, D]],
      [`${at}self_attn.k_proj.weight`, [kvHeads * headSize, D]],
      [`${at}self_attn.v_proj.weight`, [kvHeads * headSize, D]],
      [`${at}self_attn.o_proj.weight`, [D, heads * headSize]],
      [`${at}post_attention_layernorm.weight`, [D]],
      [`${at}mlp.gate_proj.weight`, [F, D]],
      [`${at}mlp.up_proj.weight`, [F, D]],
      [`${at}mlp.down_proj.weight`, [D, F]],
    );
  }
  shapes.push(["model.norm.weight", [D]]);
  if (!config.tiedEmbeddings) shapes.push(["lm_head.weight", [V, D]]);
  if (config.valueHead) shapes.push(["value_head.weight", [1, D]], ["value_head.bias", [1]]);
  let offset = 0;
  return shapes.map(([name, shape]) => {
    const size = shape.reduce((product, extent) => product * extent, 1);
    const slice = { name, shape, offset, size };
    offset += size;
    return slice;
  });
}

/** Number of weights in all. */
export function parameterCount(config: TransformerConfig): number {
  return parameterLayout(config).reduce((sum, slice) => sum + slice.size, 0);
}
