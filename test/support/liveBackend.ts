// Small transformers for the backend suite, and a backend that lives as long as its tests.
import { afterAll, beforeAll } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { sharpWeights } from "./tokenBatches.ts";

export type CreateBackend = (config: TransformerConfig) => Promise<TransformerBackend>;

/** Grouped heads, head width other than D / H, untied, value head: everything that can vary at once. */
export const criticConfig: TransformerConfig = {
  vocabularySize: 21,
  hiddenSize: 20,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 6,
  intermediateSize: 28,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: false,
  qkvBias: false,
  headNorm: false,
  maxPositions: 64,
  valueHead: true,
};

export const tiedConfig: TransformerConfig = {
  ...criticConfig,
  vocabularySize: 24,
  hiddenSize: 16,
  headSize: 4,
  tiedEmbeddings: true,
  valueHead: false,
};

/** A backend that lives as long as a describe block, with sharp random weights before the first test. */
export function useBackend(create: CreateBackend, config: TransformerConfig): () => TransformerBackend {
  let backend: TransformerBackend | undefined;
  beforeAll(async () => {
    backend = await create(config);
    await backend.setWeights("policy", sharpWeights(config, 5));
  });
  afterAll(() => backend?.dispose());
  return () => {
    if (!backend) throw new Error("the backend could not be created");
    return backend;
  };
}
