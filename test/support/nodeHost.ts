// The Host of tests: the command line's, on real clock, files and threads.
export { createNodeHost, startNodeKernelThread } from "../../src/cli/nodeHost.ts";
