// What a browser worker offers the engine: fetch, a clock, kernel threads where memory can be shared,
// WebGPU where there is one, IndexedDB for saved runs.
import type { KernelThreadHandle } from "../src/kernels/wasm/kernelHost.ts";
import type { Host } from "../src/train/host.ts";
import { readAsset, siteFolder } from "./assets.ts";
import { takeRunLock } from "./runLock.ts";
import { createRunStore } from "./runStore.ts";

/** Starts a worker that serves WASM kernels. */
function startKernelThread(): KernelThreadHandle {
  const worker = new Worker(new URL("./kernelThread.ts", import.meta.url), { type: "module", name: "kernel thread" });
  return {
    start: (module, memory, index) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => (data.type === "up" ? resolve() : reject(new Error(data.message)));
        // Without a message it is the script that did not arrive.
        worker.onerror = (event) => reject(new Error(event.message || "the script of a kernel thread could not be downloaded"));
        worker.postMessage({ module, memory, index });
      }),
    close: () => worker.terminate(),
  };
}

/** Why threads cannot share memory here, as half a sentence; undefined where they can. */
function threadObstacle(): string | undefined {
  if (self.crossOriginIsolated) return undefined;
  if (!self.isSecureContext) return "the page came neither over HTTPS nor from localhost";
  return "the page came without the headers Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy, which let threads share memory";
}

/** Browsers say "8 GB" of every machine that has as much or more. */
function memoryBytes(): number | null {
  const { deviceMemory } = navigator as { readonly deviceMemory?: number };
  return deviceMemory !== undefined && deviceMemory < 8 ? deviceMemory * 2 ** 30 : null;
}

/** A task queued behind the messages that are waiting already. */
function createYield(): () => Promise<void> {
  const { port1, port2 } = new MessageChannel();
  const waiting: (() => void)[] = [];
  port1.onmessage = () => waiting.shift()?.();
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      port2.postMessage(null);
    });
}

export function createBrowserHost(): Host {
  return {
    now: () => performance.now(),
    wallTime: () => Date.now(),
    yield: createYield(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    readAsset,
    cores: navigator.hardwareConcurrency || 1,
    memoryBytes: memoryBytes(),
    startKernelThread: self.crossOriginIsolated ? startKernelThread : null,
    threadObstacle: threadObstacle(),
    gpu: navigator.gpu ?? null,
    store: createRunStore(takeRunLock),
    tfjsWasmFolder: `${siteFolder}tfjs/`,
  };
}
