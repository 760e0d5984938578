import { createTfjsBackend } from "../../src/model/tfjsBackend.ts";
import { describeBackend } from "../support/backendSuite.ts";
import { describeConversations } from "../support/conversationSuite.ts";
import type { CreateBackend } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const create: CreateBackend = (config) => createTfjsBackend(config, "wasm", createNodeHost());

describeBackend("TensorFlow.js operations on WASM", create);
describeConversations(create, false);
