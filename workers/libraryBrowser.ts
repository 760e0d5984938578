// What programs in a browser import beside the library, as "rollout-lab/browser": a host for a worker or a page of
// theirs. The files of the package's public folder must be served somewhere; nothing is stored.
import { serveKernelThread } from "../src/kernels/threadProgram.ts";
import type { KernelThreadHandle } from "../src/kernels/wasm/kernelModule.ts";
import type { Host } from "../src/train/host.ts";
import { assetReader } from "./assets.ts";
import { hostParts } from "./hostParts.ts";

/** A worker from the text of its program, so that a bundler has no file of the package to find. */
function startWorker(serve: { toString(): string }, name: string): Worker {
  const address = URL.createObjectURL(new Blob([`(${serve.toString()})(self)`], { type: "text/javascript" }));
  const worker = new Worker(address, { name });
  // Whatever it says, it has its program by then.
  worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

function startKernelThread(): KernelThreadHandle {
  const worker = startWorker(serveKernelThread, "kernel thread");
  return {
    start: (module, memory, index) =>
      new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => (data.type === "up" ? resolve() : reject(new Error(data.message)));
        worker.onerror = (event) => reject(new Error(event.message || "a kernel thread could not be started"));
        worker.postMessage({ module, memory, index });
      }),
    close: () => worker.terminate(),
  };
}

/** The worker of the sandbox: a program that imports its file, so that those files may lie on another host than the page. */
function startSandbox(folder: string): Worker {
  const address = URL.createObjectURL(new Blob([`import ${JSON.stringify(`${folder}sandbox/thread.js`)};`], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module", name: "sandbox" });
  worker.addEventListener("message", () => URL.revokeObjectURL(address), { once: true });
  return worker;
}

/** A host of a browser. @param assets address of the folder that the files of the package's public folder are served from. */
export function createBrowserHost(assets: string): Host {
  const folder = new URL(assets.endsWith("/") ? assets : `${assets}/`, self.location.href).href;
  return {
    ...hostParts(assetReader(folder), { startSandbox: () => startSandbox(folder), startKernelThread }),
    store: null,
    tfjsWasmFolder: `${folder}tfjs/`,
  };
}
