// The one suite that every transformer backend passes: the numbers of transformers in float64, and
// laws that need no reference (sampling agrees with scoring, sharing and cutting change nothing, the
// gradient is the derivative).
import { afterAll, beforeAll, describe } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { describeGradients } from "./gradientSuite.ts";
import { describeReference } from "./referenceSuite.ts";
import { describeSampling } from "./samplingSuite.ts";
import { describeState } from "./stateSuite.ts";
import { sharpWeights } from "./tokenBatches.ts";

export type CreateBackend = (config: TransformerConfig) => Promise<TransformerBackend>;

export interface SuiteOptions {
  /** Why the backend cannot run here; the whole suite is then skipped, visibly. */
  readonly skip?: string | undefined;
}

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

/** Declares the suite for one backend. */
export function describeBackend(name: string, create: CreateBackend, options: SuiteOptions = {}): void {
  const title = options.skip ? `${name} (skipped: ${options.skip})` : name;
  describe.skipIf(options.skip !== undefined)(title, () => {
    describeReference("hf-llama-gqa-tied", create);
    describeReference("hf-llama-mha-untied", create);
    describeSampling(create);
    describeGradients(create);
    describeState(create);
  });
}
