import { describeBackend } from "../../support/backendSuite.ts";
import { createKernelBackend, kernelVariants } from "../../support/kernels.ts";

for (const { name, options } of kernelVariants) describeBackend(`own kernels, ${name}`, (config) => createKernelBackend(config, options));
