// Adapters over the project's own shaders, on the reference models whose architecture those compute.
import { afterAll, describe, vi } from "vitest";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { describeLora, mergedOver } from "../../support/loraSuite.ts";
import { shareDevice } from "../../support/sharedGpu.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const { gpu, skip } = await gpuForTests();
const shared = gpu ? shareDevice(gpu) : null;
afterAll(() => shared?.destroy());

describe.skipIf(skip !== undefined)(skip ? `adapters on WebGPU (skipped: ${skip})` : "adapters on WebGPU", () => {
  const onShaders = (config: TransformerConfig) => createWebgpuBackend(config, { gpu: shared?.gpu ?? null }, { onLost: () => undefined });
  describeLora("WebGPU", mergedOver(onShaders), onShaders, ["lora-llama-tied", "lora-llama-rank1-rslora"]);
});
