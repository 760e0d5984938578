// The reference cases on WebGPU; the tables are small enough for a software adapter.
import { beforeAll, describe } from "vitest";
import { startTfjs } from "../../../src/model/tfjs.ts";
import { createTfjsBackend } from "../../../src/model/tfjsBackend.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { describeTape } from "../../support/tapeSuite.ts";
import { describeVerlCases } from "../../support/tensorAdvantageSuite.ts";
import { describeTrlCases } from "../../support/tensorObjectiveSuite.ts";

const { gpu, skip } = await gpuForTests();

describe.skipIf(skip !== undefined)(skip ? `on WebGPU (${skip})` : "on WebGPU", () => {
  beforeAll(async () => {
    await startTfjs("webgpu", createNodeHost({ gpu }));
  });

  describeTrlCases("the objective on tensors equals TRL's");
  describeVerlCases("advantages on tensors equal verl's and TRL's");
});

describeTape("the objective on the model's tape, on WebGPU", (config) => createTfjsBackend(config, "webgpu", createNodeHost({ gpu })), {
  skip,
  slow: true,
});
