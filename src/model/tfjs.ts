// Brings up TensorFlow.js on one of its backends. Loaded only when such a backend is asked for.
import * as tf from "@tensorflow/tfjs";

export type TfjsBackendName = "cpu" | "wasm" | "webgpu";

/** What TensorFlow.js needs from the world around it: the part of the engine's Host it uses. */
export interface TfjsHost {
  /** WebGPU, where there is one. */
  readonly gpu: GPU | null;
  /** Address of the folder with its .wasm files, ending in "/"; not needed in Node. */
  readonly tfjsWasmFolder?: string;
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
  if (wasm) threads = wasm.getThreadsCount();
  return threads;
}

let isWasmPrepared = false;

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
  return wasm;
}

async function loadWebgpu(host: TfjsHost): Promise<void> {
  if (!host.gpu) throw new Error("WebGPU is not available here");
  await import("@tensorflow/tfjs-backend-webgpu");
  // Small tensors would otherwise be computed on the CPU behind a wait for the GPU.
  tf.env().set("WEBGPU_CPU_FORWARD", false);
}

/** Makes a started backend the one that operations run on. */
export async function selectTfjs(name: TfjsBackendName): Promise<void> {
  if (tf.getBackend() !== name) await tf.setBackend(name);
}
