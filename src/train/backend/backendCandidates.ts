// The ways a transformer can be computed, best first. Each says how it is made and throws a sentence
// when this machine cannot do it; tfjs is only loaded when its candidate is tried. WebGPU counts only if an
// adapter is there, it is real hardware, and its results agree with the plain reference.
import type { TransformerBackend } from "../../model/backend.ts";
import { type FrozenBase, smallerBase, widenedWeights } from "../../model/lora/frozenBase.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { Hardware } from "../host.ts";

export interface BackendOptions {
  readonly threads: number;
  readonly reproducible: boolean;
  /** Called when a GPU device goes away; everything on it is gone. */
  readonly onLost: (reason: string) => void;
  /** Weights that stand still while adapters beside them are trained; null where all weights are. */
  readonly frozen: FrozenBase | null;
}

export interface BackendCandidate {
  readonly id: Exclude<RunConfig["backend"], "auto" | "tinker">;
  readonly title: string;
  readonly usesGpu: boolean;
  /** Taken into account by "auto"; the others are there to be asked for, and as last resorts. */
  readonly automatic: boolean;
  create(config: TransformerConfig, hardware: Hardware, options: BackendOptions): Promise<TransformerBackend>;
}

/** Adapters over a backend that computes whole weights, which it holds in single precision with the adapters added in. */
async function beside(frozen: FrozenBase | null, config: TransformerConfig, whole: TransformerBackend): Promise<TransformerBackend> {
  if (!frozen) return whole;
  const { tokenizerSize = config.vocabularySize } = frozen;
  try {
    if (tokenizerSize < config.vocabularySize)
      throw new Error(`it cannot leave out the ${config.vocabularySize - tokenizerSize} ids that the tokenizer does not know`);
    const { adaptedBackend } = await import("../../model/lora/adaptedBackend.ts");
    return adaptedBackend(whole, frozen.adapted, await widenedWeights(config, frozen.tensors));
  } catch (error) {
    whole.dispose();
    throw error;
  }
}

export const backendCandidates: readonly BackendCandidate[] = [
  {
    id: "webgpu",
    title: "WebGPU, fused kernels",
    usesGpu: true,
    automatic: true,
    async create(config, hardware, { onLost, frozen }) {
      const { createWebgpuBackend } = await import("../../model/webgpu/webgpuBackend.ts");
      return createWebgpuBackend(config, hardware, { onLost, frozen: frozen ?? undefined });
    },
  },
  {
    id: "wasm",
    title: "WebAssembly, fused kernels",
    usesGpu: false,
    automatic: true,
    async create(config, hardware, { threads: asked, reproducible, frozen }) {
      const { createWasmBackend } = await import("../../model/wasm/wasmBackend.ts");
      const threads = asked || hardware.cores;
      // One partition a thread needs the fewest gradient buffers, but then sums depend on how many there are.
      const cut = reproducible ? {} : { partitions: threads };
      return createWasmBackend(config, hardware, { threads, asTheyGain: asked === 0, ...cut, frozen: frozen ?? undefined });
    },
  },
  {
    id: "tfjs-webgpu",
    title: "WebGPU, TensorFlow.js operations",
    usesGpu: true,
    automatic: false,
    async create(config, hardware, { onLost, frozen }) {
      const { createTfjsBackend } = await import("../../model/composed/tfjsBackend.ts");
      return beside(frozen, config, await createTfjsBackend(config, "webgpu", hardware, onLost));
    },
  },
  {
    id: "tfjs-wasm",
    title: "WebAssembly, TensorFlow.js operations",
    usesGpu: false,
    automatic: false,
    async create(config, hardware, { frozen }) {
      const { createTfjsBackend } = await import("../../model/composed/tfjsBackend.ts");
      return beside(frozen, config, await createTfjsBackend(config, "wasm", hardware));
    },
  },
];

/** Why a GPU candidate is out before it is built, or null. */
export async function gpuObstacle(hardware: Hardware): Promise<string | null> {
  if (!hardware.gpu) return hardware.gpuObstacle ?? "this browser offers no WebGPU";
  // A browser that refuses to look for one has none to offer.
  const adapter = await hardware.gpu.requestAdapter().catch(() => null);
  if (!adapter) return "no GPU adapter was found";
  const software =
    adapter.info.isFallbackAdapter || /swiftshader|llvmpipe|software/i.test(`${adapter.info.architecture} ${adapter.info.description}`);
  return software ? "the only adapter is a software one, slower than WebAssembly" : null;
}

/** Layers and ids of the small model that stands for one whose base is frozen. */
const TRIAL_LAYERS = 2;
const TRIAL_IDS = 1024;

/**
 * What a candidate is checked and timed on: the model, or beside a frozen base the first of its layers and ids, so that
 * the loser has held no copy.
 */
function trialShape(config: TransformerConfig, frozen: FrozenBase | null): TransformerConfig {
  if (!frozen) return config;
  return { ...config, layers: Math.min(config.layers, TRIAL_LAYERS), vocabularySize: Math.min(config.vocabularySize, TRIAL_IDS) };
}

/** A candidate's backend for a trial; throws where its results are wrong. Without a frozen base it is the one that is then used. */
export async function createChecked(
  candidate: BackendCandidate,
  config: TransformerConfig,
  hardware: Hardware,
  options: BackendOptions,
): Promise<TransformerBackend> {
  const shape = trialShape(config, options.frozen);
  const frozen = options.frozen && (await smallerBase(shape, options.frozen));
  const backend = await candidate.create(shape, hardware, { ...options, frozen });
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

/** What a candidate is used as; beside a frozen base its trial, where there was one, is given back first. */
export async function createForRun(
  candidate: BackendCandidate,
  trial: TransformerBackend | null,
  config: TransformerConfig,
  hardware: Hardware,
  options: BackendOptions,
): Promise<TransformerBackend> {
  if (trial && !options.frozen) return trial;
  trial?.dispose();
  return candidate.create(config, hardware, options);
}
