// What programs in a browser import beside the library, as "rollout-lab/browser": a host for a worker or a page of
// theirs. The files of the package's public folder must be served somewhere; nothing is stored.
import { serveKernelThread } from "../src/kernels/threadProgram.ts";
import type { KernelThreadHandle } from "../src/kernels/wasm/kernelModule.ts";
import type { Host } from "../src/train/host.ts";
import { assetReader } from "./assets.ts";
import { hostParts } from "./hostParts.ts";

/** Starts a kernel thread from its text, so that a bundler has no file of the package to find. */
function startKernelThread(): KernelThreadHandle {
  const address = URL.createObjectURL(new Blob([`(${serveKernelThread.toString()})(self)`], { type: "text/javascript" }));
  const worker = new Worker(address, { name: "kernel thread" });
  return {
    start: (module, memory, index) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => (data.type === "up" ? resolve() : reject(new Error(data.message)));
        worker.onerror = (event) => reject(new Error(event.message || "a kernel thread could not be started"));
        worker.postMessage({ module, memory, index });
      }),
    close: () => {
      worker.terminate();
      URL.revokeObjectURL(address);
    },
  };
}

/** A host of a browser. @param assets address of the folder that the files of the package's public folder are served from. */
export function createBrowserHost(assets: string): Host {
  const folder = new URL(assets.endsWith("/") ? assets : `${assets}/`, self.location.href).href;
  return {
    ...hostParts(),
    readAsset: assetReader(folder),
    startKernelThread: self.crossOriginIsolated ? startKernelThread : null,
    store: null,
    tfjsWasmFolder: `${folder}tfjs/`,
  };
}
