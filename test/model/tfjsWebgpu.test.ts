import { describe } from "vitest";
import { createTfjsBackend } from "../../src/model/tfjsBackend.ts";
import { describeBackend } from "../support/backendSuite.ts";
import { describeConversations } from "../support/conversationSuite.ts";
import { gpuForTests } from "../support/gpu.ts";
import type { CreateBackend } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const { gpu, skip } = await gpuForTests();

const create: CreateBackend = (config) => createTfjsBackend(config, "webgpu", createNodeHost({ gpu }));

describeBackend("TensorFlow.js operations on WebGPU", create, { skip, slow: true });
describe.skipIf(skip !== undefined)(skip ? `conversations (skipped: ${skip})` : "conversations", () => describeConversations(create, true));
