// The part of a Llama configuration that kernels read.
import { f32 } from "./webgpu/kernel.ts";

export interface ModelSizes {
  readonly vocabularySize: number;
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  /** Heads of keys and values; divides heads (grouped-query attention). */
  readonly kvHeads: number;
  /** Width of one head; q is [heads * headSize, hiddenSize]. */
  readonly headSize: number;
  readonly intermediateSize: number;
  readonly rmsNormEps: number;
  /** The output head is the embedding. */
  readonly tiedEmbeddings: boolean;
  /** Queries, keys and values have biases (Qwen2). */
  readonly qkvBias: boolean;
  /** Each head of the queries and keys goes through an RMSNorm before it is turned (Qwen3). */
  readonly headNorm: boolean;
  /** A critic: value = value_head.weight · h + value_head.bias at each scored row. */
  readonly valueHead: boolean;
}

/** The sizes that WGSL kernels are generated for, short enough to read inside their templates. */
export interface ModelShape {
  /** Vocabulary, width, feed-forward width. */
  readonly V: number;
  readonly D: number;
  readonly F: number;
  /** Heads of queries and of keys and values, and the width of one. */
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
  /** heads * headSize and kvHeads * headSize. */
  readonly Q: number;
  readonly KV: number;
  /** WGSL literal. */
  readonly eps: string;
  readonly valueHead: boolean;
}

/** Sizes of a model as the kernels name them. */
export function modelShape(config: ModelSizes): ModelShape {
  const { headSize, heads, kvHeads } = config;
  if (headSize % 2 !== 0) throw new Error(`headSize must be even, got ${headSize}`);
  if (heads % kvHeads !== 0) throw new Error(`heads must be a multiple of kvHeads, got ${heads} and ${kvHeads}`);
  return {
    V: config.vocabularySize,
    D: config.hiddenSize,
    F: config.intermediateSize,
    heads,
    kvHeads,
    headSize,
    Q: heads * headSize,
    KV: kvHeads * headSize,
    eps: f32(config.rmsNormEps),
    valueHead: config.valueHead,
  };
}
