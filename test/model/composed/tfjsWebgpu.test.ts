import { createTfjsBackend } from "../../../src/model/composed/tfjsBackend.ts";
import { describeBackend } from "../../support/backendSuite.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

const { gpu, skip } = await gpuForTests();

describeBackend("TensorFlow.js operations on WebGPU", (config) => createTfjsBackend(config, "webgpu", createNodeHost({ gpu })), {
  skip,
  slow: true,
});
