import { describe } from "vitest";
import { describeBackend } from "../support/backendSuite.ts";
import { describeConversations } from "../support/conversationSuite.ts";
import { createKernelBackend, kernelVariants } from "../support/kernels.ts";

for (const { name, options } of kernelVariants) {
  describeBackend(`own kernels, ${name}`, (config) => createKernelBackend(config, options));
  describe(`own kernels, ${name}`, () => describeConversations((config) => createKernelBackend(config, options), false));
}
