// What the page's worker offers the engine: what every browser has, the files of the build, IndexedDB for saved runs on a
// thread of its own.
import type { KernelThreadHandle } from "../src/kernels/wasm/kernelModule.ts";
import type { Consent } from "../src/protocol/config/customRewards.ts";
import type { Host } from "../src/train/host.ts";
import { assetReader, siteFolder } from "./assets.ts";
import { createContentStore } from "./data/contents.ts";
import { hostParts } from "./hostParts.ts";
import { openPageServer } from "./modelServer.ts";
import { openBrowserModel } from "./models/openModel.ts";
import type { StorePort } from "./saves/serveStore.ts";
import { storeElsewhere } from "./saves/storeElsewhere.ts";

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

/** Starts the worker of the sandbox, which the build has made a file of its own. */
const startSandbox = () => new Worker(`${siteFolder}sandbox/thread.js`, { type: "module", name: "sandbox" });

/** Starts the worker that keeps saved runs. */
function startStore(onLost: (reason: string) => void): StorePort {
  const worker = new Worker(new URL("./saves/storeWorker.ts", import.meta.url), { type: "module", name: "saved runs" });
  worker.onerror = (event) => {
    worker.terminate();
    onLost(event.message || "the script of the storage could not be downloaded");
  };
  return worker;
}

/** What the page's reader has allowed. */
function createConsent(): Consent {
  const read = new Set<string>();
  const allow = (sources: readonly string[]) => {
    for (const source of sources) read.add(source);
  };
  return { allows: (source) => read.has(source), allow };
}

export function createBrowserHost(): Host {
  return {
    consent: createConsent(),
    ...hostParts(assetReader(siteFolder), { startSandbox, startKernelThread }),
    openModel: openBrowserModel,
    contents: createContentStore(),
    openServer: openPageServer,
    store: storeElsewhere(startStore),
    quickEvaluationEveryMs: 15_000,
    tfjsWasmFolder: `${siteFolder}tfjs/`,
  };
}
