// The one suite that every transformer backend passes: the numbers of transformers in float64, and
// laws that need no reference (sampling agrees with scoring, sharing and cutting change nothing, the
// gradient is the derivative).
import { describe } from "vitest";
import { describeGradients } from "./gradientSuite.ts";
import type { CreateBackend } from "./liveBackend.ts";
import { describeReference } from "./referenceSuite.ts";
import { describeSampling } from "./samplingSuite.ts";
import { describeState } from "./stateSuite.ts";

export interface SuiteOptions {
  /** Why the backend cannot run here; the whole suite is then skipped, visibly. */
  readonly skip?: string | undefined;
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
