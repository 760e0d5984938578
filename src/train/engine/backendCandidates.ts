// The ways a transformer can be computed, best first. Each says how it is made and throws a sentence
// when this machine cannot do it; tfjs is only loaded when its candidate is tried. WebGPU counts only if an
// adapter is there, it is real hardware, and its results agree with the plain reference.
import type { TransformerBackend } from "../../model/backend.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { Host } from "../host.ts";

export interface BackendOptions {
  readonly threads: number;
  readonly reproducible: boolean;
  /** Called when a GPU device goes away; everything on it is gone. */
  readonly onLost: (reason: string) => void;
}

export interface BackendCandidate {
  readonly id: Exclude<RunConfig["backend"], "auto">;
  readonly title: string;
  readonly usesGpu: boolean;
  /** Taken into account by "auto"; the others are there to be asked for, and as last resorts. */
  readonly automatic: boolean;
  create(config: TransformerConfig, host: Host, options: BackendOptions): Promise<TransformerBackend>;
}

export const backendCandidates: readonly BackendCandidate[] = [
  {
    id: "webgpu",
    title: "WebGPU, fused kernels",
    usesGpu: true,
    automatic: true,
    async create(config, host, { onLost }) {
      const { createWebgpuBackend } = await import("../../model/webgpu/webgpuBackend.ts");
      return createWebgpuBackend(config, host, { onLost });
    },
  },
  {
    id: "wasm",
    title: "WebAssembly, fused kernels",
    usesGpu: false,
    automatic: true,
    async create(config, host, { threads: asked, reproducible }) {
      const { createWasmBackend } = await import("../../model/wasm/wasmBackend.ts");
      const threads = asked || host.cores;
      // One partition a thread needs the fewest gradient buffers, but then sums depend on how many there are.
      return createWasmBackend(config, host, reproducible ? { threads } : { threads, partitions: threads });
    },
  },
  {
    id: "tfjs-webgpu",
    title: "WebGPU, TensorFlow.js operations",
    usesGpu: true,
    automatic: false,
    async create(config, host, { onLost }) {
      const { createTfjsBackend } = await import("../../model/composed/tfjsBackend.ts");
      return createTfjsBackend(config, "webgpu", host, onLost);
    },
  },
  {
    id: "tfjs-wasm",
    title: "WebAssembly, TensorFlow.js operations",
    usesGpu: false,
    automatic: false,
    async create(config, host) {
      const { createTfjsBackend } = await import("../../model/composed/tfjsBackend.ts");
      return createTfjsBackend(config, "wasm", host);
    },
  },
];

/** Why a GPU candidate is out before it is built, or null. */
export async function gpuObstacle(host: Host): Promise<string | null> {
  if (!host.gpu) return host.gpuObstacle ?? "this browser offers no WebGPU";
  // A browser that refuses to look for one has none to offer.
  const adapter = await host.gpu.requestAdapter().catch(() => null);
  if (!adapter) return "no GPU adapter was found";
  const software =
    adapter.info.isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(`${adapter.info.architecture} ${adapter.info.description}`);
  return software ? "the only adapter is a software one, slower than WebAssembly" : null;
}

/** The backend of a candidate; throws where its results are wrong. */
export async function createChecked(
  candidate: BackendCandidate,
  config: TransformerConfig,
  host: Host,
  options: BackendOptions,
): Promise<TransformerBackend> {
  const backend = await candidate.create(config, host, options);
  if (!candidate.usesGpu) return backend;
  try {
    const { checkBackend } = await import("../../model/selfCheck.ts");
    const check = await checkBackend(backend);
    if (!check.ok) throw new Error(`its results differ from the reference: ${check.reason}`);
    return backend;
  } catch (error) {
    backend.dispose();
    throw error;
  }
}
