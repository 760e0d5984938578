import { createTfjsBackend } from "../../../src/model/composed/tfjsBackend.ts";
import { describeBackend } from "../../support/backendSuite.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { isLong } from "../../support/long.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const { gpu, skip } = await gpuForTests();

describeBackend("TensorFlow.js operations on WebGPU", (config) => createTfjsBackend(config, "webgpu", createNodeHost({ gpu })), {
  skip,
  slow: true,
  // The parts of other families are tried on its CPU and in WebAssembly at all times.
  llamaOnly: !isLong,
});
