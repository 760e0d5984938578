import { createTfjsBackend } from "../../../src/model/composed/tfjsBackend.ts";
import { describeBackend } from "../../support/backendSuite.ts";
import { createNodeHost } from "../../support/nodeHost.ts";

describeBackend("TensorFlow.js operations on WASM", (config) => createTfjsBackend(config, "wasm", createNodeHost()));
