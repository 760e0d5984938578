// A peer that is one of this project's backends: own WASM kernels, own WebGPU kernels, or the same
// transformer composed of TensorFlow.js operations.

import { Engine } from "../../src/kernels/wasm/engine.ts";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { initialWeights } from "../../src/model/initialWeights.ts";
import { parameterCount } from "../../src/model/transformerConfig.ts";
import { createWasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import type { Host } from "../../src/train/host.ts";
import { conversationBatch, converse } from "../measure/conversations.ts";
import { clipObjective, decodeRequest, drawData, MICRO_BATCH_TOKENS, OPTIMIZER, trainBatch } from "../measure/inputs.ts";
import { transformerOf, type Workload } from "../measure/workload.ts";
import type { PeerSpec } from "../peer.ts";
import type { PeerEngine } from "./engine.ts";
import { measureRecording } from "./gpuRecording.ts";
import { measureProducts } from "./products.ts";

interface Opened {
  readonly backend: TransformerBackend;
  readonly note: string;
  readonly version: string;
  engineBytes(): number | null;
}

async function openWasm(spec: PeerSpec, workload: Workload, host: Host): Promise<Opened> {
  const options = { threads: spec.threads, ...(spec.build ? { build: spec.build } : {}) };
  const backend = await createWasmBackend(transformerOf(workload), host, options);
  return {
    backend,
    note: `${backend.build} build, ${backend.tileRows}x8 tile`,
    version: "",
    engineBytes: () => backend.memoryBytes(),
  };
}

async function openTfjs(spec: PeerSpec, workload: Workload, host: Host): Promise<Opened> {
  const { createTfjsBackend } = await import("../../src/model/composed/tfjsBackend.ts");
  const tf = await import("@tensorflow/tfjs");
  const backend = await createTfjsBackend(transformerOf(workload), spec.engine === "tfjs-webgpu" ? "webgpu" : "wasm", host);
  return { backend, note: "", version: tf.version["tfjs-core"] ?? "", engineBytes: () => null };
}

async function openWebgpu(workload: Workload, host: Host): Promise<Opened> {
  const { createWebgpuBackend } = await import("../../src/model/webgpu/webgpuBackend.ts");
  const onLost = (reason: string) => console.error(`GPU lost: ${reason}`);
  const backend = await createWebgpuBackend(transformerOf(workload), host, { onLost });
  return { backend, note: "", version: "", engineBytes: () => null };
}

async function describeGpu(host: Host): Promise<string> {
  const adapter = await host.gpu?.requestAdapter();
  return adapter ? [adapter.info.vendor, adapter.info.architecture, adapter.info.description].filter(Boolean).join(" ") : "";
}

/** Makes the engine and gives it weights. */
export async function createBackendEngine(spec: PeerSpec, workload: Workload, host: Host): Promise<PeerEngine> {
  const opened =
    spec.engine === "wasm"
      ? await openWasm(spec, workload, host)
      : spec.engine === "webgpu"
        ? await openWebgpu(workload, host)
        : await openTfjs(spec, workload, host);
  const { backend } = opened;
  if (spec.engine === "wasm" && backend.threads !== spec.threads) throw new Error(`${spec.threads} threads cannot share memory here`);
  await backend.setWeights("policy", await initialWeights(backend.config, new Random(2), async () => {}));
  const zeros_N = new Float32Array(parameterCount(backend.config));
  await backend.setOptimizer({ step: 0, first_N: zeros_N, second_N: zeros_N });
  const data = drawData(workload);
  const talk = workload.conversations && { ...workload, ...workload.conversations };
  const batch = talk ? conversationBatch(talk) : trainBatch(data);
  const objective = clipObjective(batch, data.advantages_B);
  const request = decodeRequest(workload, data);
  const kernels = spec.engine === "wasm" ? await Engine.start(host, { threads: 1, build: spec.build }) : null;
  return {
    facts: {
      version: opened.version,
      threads: backend.threads,
      note: spec.engine.endsWith("webgpu") ? await describeGpu(host) : opened.note,
    },
    async train() {
      await backend.accumulate(batch, objective, MICRO_BATCH_TOKENS);
      const { gradNorm } = await backend.step(OPTIMIZER);
      if (!Number.isFinite(gradNorm)) throw new Error(`the gradient norm is ${gradNorm}`);
    },
    async decode() {
      if (talk) return converse(backend, talk);
      const { lengths_B } = await sampleCompletions(backend, request);
      if (lengths_B.some((length) => length !== workload.length)) throw new Error(`a sequence ended before ${workload.length} tokens`);
    },
    products: () => kernels && measureProducts(kernels, workload),
    engineBytes: () => opened.engineBytes(),
    ...(spec.engine === "webgpu" ? { gpuRecording: () => measureRecording(workload, host.gpu) } : {}),
  };
}
