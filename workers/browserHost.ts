// What a browser worker offers the engine: fetch, a clock, kernel threads where memory can be shared,
// WebGPU where there is one, IndexedDB for saved runs.
import type { KernelThreadHandle } from "../src/kernels/wasm/kernelHost.ts";
import type { Host } from "../src/train/host.ts";
import { openRunStore } from "./runStore.ts";

/** Starts a worker that serves WASM kernels. */
function startKernelThread(): KernelThreadHandle {
  const worker = new Worker(new URL("./kernelThread.ts", import.meta.url), { type: "module", name: "kernel thread" });
  return {
    start: (module, memory, index) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => (data.type === "up" ? resolve() : reject(new Error(data.message)));
        worker.onerror = (event) => reject(new Error(event.message));
        worker.postMessage({ module, memory, index });
      }),
    close: () => worker.terminate(),
  };
}

async function readAsset(path: string): Promise<Uint8Array> {
  const response = await fetch(`${import.meta.env.BASE_URL}${path}`);
  // A server that answers every unknown address with the page must not pass for the file.
  if (!response.ok || response.headers.get("content-type")?.startsWith("text/html"))
    throw new Error(`asset "${path}" is missing (${response.status})`);
  return new Uint8Array(await response.arrayBuffer());
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

export async function createBrowserHost(): Promise<Host> {
  return {
    now: () => performance.now(),
    wallTime: () => Date.now(),
    yield: createYield(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    readAsset,
    cores: navigator.hardwareConcurrency || 1,
    startKernelThread: self.crossOriginIsolated ? startKernelThread : null,
    gpu: navigator.gpu ?? null,
    store: await openRunStore(),
    tfjsWasmFolder: `${import.meta.env.BASE_URL}tfjs/`,
  };
}
