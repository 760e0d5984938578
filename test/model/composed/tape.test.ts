import { createTfjsBackend } from "../../../src/model/tfjsBackend.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { describeTape } from "../../support/tapeSuite.ts";

describeTape("the objective on the model's tape, on WASM", (config) => createTfjsBackend(config, "wasm", createNodeHost()));
