// The fused WebGPU backend passes the shared suite. A software adapter takes seconds to compile the
// kernels of a model shape, so each shape has one device for the whole file.
import { afterAll, vi } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { parameterCount, type TransformerConfig } from "../../src/model/transformerConfig.ts";
import { createWebgpuBackend } from "../../src/model/webgpuBackend.ts";
import { describeBackend } from "../support/backendSuite.ts";
import { gpuForTests } from "../support/gpu.ts";
import { createNodeHost } from "../support/nodeHost.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const { gpu, skip } = await gpuForTests();
const host = createNodeHost({ gpu });
const backends = new Map<string, TransformerBackend>();

/** A backend without gradient or moments that outlives its dispose(). */
async function cleared(config: TransformerConfig): Promise<TransformerBackend> {
  const key = JSON.stringify(config);
  const backend = backends.get(key) ?? (await createWebgpuBackend(config, host, { onLost: () => undefined }));
  backends.set(key, backend);
  const size = parameterCount(config);
  await backend.step({ kind: "sgd", learningRate: 0, beta1: 0, beta2: 0, eps: 1, weightDecay: 0, maxGradNorm: 0 });
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  return new Proxy(backend, {
    get(target, name) {
      if (name === "dispose") return () => undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

afterAll(() => {
  for (const backend of backends.values()) backend.dispose();
});

describeBackend("webgpu", cleared, { skip });
