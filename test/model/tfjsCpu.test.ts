import { createTfjsBackend } from "../../src/model/tfjsBackend.ts";
import { describeBackend } from "../support/backendSuite.ts";
import { describeConversations } from "../support/conversationSuite.ts";
import type { CreateBackend } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const create: CreateBackend = (config) => createTfjsBackend(config, "cpu", createNodeHost());

describeBackend("TensorFlow.js operations in plain JavaScript", create, { slow: true });
describeConversations(create, true);
