// What programs in Node import beside the library, as "rollout-lab/node": the host, and the folders of runs.

export { readModelFiles } from "./folder/saveFile.ts";
export { type NodeGpu, openNodeGpu } from "./nodeGpu.ts";
export { createNodeHost } from "./nodeHost.ts";
export { createFileLogger } from "./training/runLogs.ts";
