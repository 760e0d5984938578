// The sizes the kernels are generated for, short enough to read inside WGSL templates.
import type { ModelSizes } from "../modelSizes.ts";
import { f32 } from "./kernel.ts";

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
