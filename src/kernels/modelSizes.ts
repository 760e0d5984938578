// The part of a Llama configuration that kernels read.

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
  /** A critic: value = value_head.weight · h + value_head.bias at each scored row. */
  readonly valueHead: boolean;
}
