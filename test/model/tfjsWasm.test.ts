import { createTfjsBackend } from "../../src/model/tfjsBackend.ts";
import { describeBackend } from "../support/backendSuite.ts";
import { isLong } from "../support/long.ts";
import { createNodeHost } from "../support/nodeHost.ts";

describeBackend("TensorFlow.js operations on WASM", (config) => createTfjsBackend(config, "wasm", createNodeHost()));

// The same operations on kernels that no run computes with.
if (isLong)
  describeBackend("TensorFlow.js operations in plain JavaScript", (config) => createTfjsBackend(config, "cpu", createNodeHost()), {
    slow: true,
  });
