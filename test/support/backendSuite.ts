// The one suite that every transformer backend passes: the numbers of transformers in float64, and
// laws that need no reference (sampling agrees with scoring, in one turn and in several, sharing and
// cutting change nothing, the gradient is the derivative).
import { describe } from "vitest";
import { describeConversations } from "./conversationSuite.ts";
import { describeGradients } from "./gradientSuite.ts";
import type { CreateBackend } from "./liveBackend.ts";
import { isLong } from "./long.ts";
import { describeQwen } from "./qwenSuite.ts";
import { describeReference } from "./referenceSuite.ts";
import { describeSampling } from "./samplingSuite.ts";
import { describeState } from "./stateSuite.ts";

export interface SuiteOptions {
  /** Why the backend cannot run here; the whole suite is then skipped, visibly. */
  readonly skip?: string | undefined;
  /** A device a hundred times slower than it should be, as a GPU in software: each law is tried once, on one model. */
  readonly slow?: boolean;
  /** The backend computes Llama's architecture alone. */
  readonly llamaOnly?: boolean;
  /** Finite differences of every fourth tensor, once, as on a slow device; the long run has them all. */
  readonly fewDerivatives?: boolean;
}

/** Declares the suite for one backend. */
export function describeBackend(name: string, create: CreateBackend, options: SuiteOptions = {}): void {
  const title = options.skip ? `${name} (skipped: ${options.skip})` : name;
  describe.skipIf(options.skip !== undefined)(title, () => {
    const slow = options.slow ?? false;
    describeReference("hf-llama-gqa-tied", create, slow);
    if (!slow) describeReference("hf-llama-mha-untied", create, slow);
    describeSampling(create, slow);
    describeConversations(create, slow);
    describeGradients(create, slow || (options.fewDerivatives === true && !isLong));
    describeState(create);
    if (!options.llamaOnly) describeQwen(create);
  });
}
