// Brings up TensorFlow.js on one of its backends. Loaded only when such a backend is asked for.
import * as tf from "@tensorflow/tfjs";

export type TfjsBackendName = "cpu" | "wasm" | "webgpu";

/** Its rank among the backends TensorFlow.js would choose from by itself: as its package registers it. */
const WEBGPU_PRIORITY = 3;

/** What TensorFlow.js needs from the world around it: the part of the engine's Host it uses. */
export interface TfjsHost {
  /** WebGPU, where there is one. */
  readonly gpu: GPU | null;
  /** Lets pending commands arrive; resolves as soon as they have. */
  yield(): Promise<void>;
  /** Address of the folder with its .wasm files, ending in "/"; not needed in Node. */
  readonly tfjsWasmFolder?: string;
  /** A file of public/ or of that folder, as "tfjs/..."; throws naming the file when it is missing. */
  readAsset(path: string): Promise<Uint8Array>;
}

/**
 * Registers and initialises a tfjs backend; returns the number of threads it computes on.
 * Throws a sentence when it cannot run here.
 */
export async function startTfjs(name: TfjsBackendName, host: TfjsHost): Promise<number> {
  let threads = 1;
  if (name === "webgpu") await loadWebgpu(host);
  const wasm = name === "wasm" ? await loadWasm(host) : null;
  if (!(await tf.setBackend(name))) throw new Error(`TensorFlow.js could not start its ${name} backend`);
  await tf.ready();
  if (name === "webgpu") watchWebgpu();
  if (wasm) threads = wasm.getThreadsCount();
  isWasmUp ||= wasm !== null;
  return threads;
}

let isWasmPrepared = false;
let isWasmUp = false;

async function loadWasm(host: TfjsHost) {
  const wasm = await import("@tensorflow/tfjs-backend-wasm");
  // Both count only before the first start.
  if (!isWasmPrepared) {
    isWasmPrepared = true;
    // Its threads are started from their own source text, which does not survive being minified.
    tf.env().set("WASM_HAS_MULTITHREAD_SUPPORT", false);
    // Node's build finds its own files.
    if (host.tfjsWasmFolder !== undefined) wasm.setWasmPaths(host.tfjsWasmFolder);
  }
  // TensorFlow.js does not say which file it could not fetch. It finds this one in the browser's cache.
  if (host.tfjsWasmFolder !== undefined && !isWasmUp) {
    const hasSimd = await tf.env().getAsync("WASM_HAS_SIMD_SUPPORT");
    await host.readAsset(`tfjs/tfjs-backend-wasm${hasSimd ? "-simd" : ""}.wasm`);
  }
  return wasm;
}

async function loadWebgpu(host: TfjsHost): Promise<void> {
  if (!host.gpu) throw new Error("WebGPU is not available here");
  await import("@tensorflow/tfjs-backend-webgpu");
  if (webgpu?.isLost) forgetWebgpu();
  // Small tensors would otherwise be computed on the CPU behind a wait for the GPU.
  tf.env().set("WEBGPU_CPU_FORWARD", false);
}

/** The device of the started WebGPU backend: one for everything TensorFlow.js computes. */
let webgpu: { readonly device: GPUDevice; isLost: boolean } | null = null;

function watchWebgpu(): void {
  const { device } = tf.backend() as unknown as { readonly device: GPUDevice };
  if (webgpu?.device === device) return;
  const watched = { device, isLost: false };
  webgpu = watched;
  void device.lost.then(() => {
    watched.isLost = true;
  });
}

/** Takes a backend away that would go on with its lost device; the next start asks for a new one. */
function forgetWebgpu(): void {
  const create = tf.findBackendFactory("webgpu");
  tf.removeBackend("webgpu");
  // Removing a backend forgets how to make it, too.
  tf.registerBackend("webgpu", create, WEBGPU_PRIORITY);
  webgpu = null;
}

/** Resolves with the reason once the GPU device of the started WebGPU backend is lost. */
export async function webgpuLoss(): Promise<string> {
  if (!webgpu) throw new Error("internal: TensorFlow.js was not started on WebGPU");
  const { message } = await webgpu.device.lost;
  return message || "no reason was given";
}

/** Makes a started backend the one that operations run on. */
export async function selectTfjs(name: TfjsBackendName): Promise<void> {
  if (tf.getBackend() !== name) await tf.setBackend(name);
}
