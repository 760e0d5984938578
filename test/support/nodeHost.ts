// The Host of tests: the command line's, on real clock, files and threads, with the sandbox as the sources have it.
import { buildSandbox } from "../../scripts/build/buildSandbox.mjs";

export { createNodeHost, startNodeKernelThread } from "../../src/cli/nodeHost.ts";

await buildSandbox();
