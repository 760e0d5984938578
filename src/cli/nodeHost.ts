// The engine on Node: real clock, files of public/, kernel threads on worker_threads, no store.
import { readFile } from "node:fs/promises";
import { availableParallelism, totalmem } from "node:os";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { nodeThreadSource, type ThreadReply, type ThreadStart } from "../kernels/threadProgram.ts";
import type { KernelThreadHandle } from "../kernels/wasm/kernelModule.ts";
import { createIsolate, type IsolatedThread, serveIsolated } from "../rl/rewards/isolate.ts";
import type { Host } from "../train/host.ts";
import { openDiskModel } from "./models/modelPlaces.ts";

// Node 20 has relaxed SIMD behind a flag; later versions have it on and reject the flag.
if (Number(process.versions.node.split(".")[0]) < 21) setFlagsFromString("--experimental-wasm-relaxed-simd");

/** Path of a file of this package. The sources and the built program are both two folders below its root. */
export function packagePath(name: string): string {
  return fileURLToPath(new URL(`../../${name}`, import.meta.url));
}

/** A kernel thread on worker_threads. It does not keep the process alive. */
export function startNodeKernelThread(): KernelThreadHandle {
  const worker = new Worker(nodeThreadSource, { eval: true });
  worker.unref();
  return {
    start: (module, memory, index) =>
      new Promise<void>((resolve, reject) => {
        worker.once("error", reject);
        worker.once("message", (reply: ThreadReply) => (reply.type === "up" ? resolve() : reject(new Error(reply.message))));
        // An unreferenced worker would let the process end before it answers.
        worker.ref();
        worker.postMessage({ module, memory, index } satisfies ThreadStart);
      }).then(() => {
        worker.unref();
      }),
    close: () => void worker.terminate(),
  };
}

/** A thread for work that may never end. It does not keep the process alive. */
function startIsolated(): IsolatedThread {
  const worker = new Worker(isolatedSource, { eval: true });
  worker.unref();
  const thread: IsolatedThread = {
    post: (batch) => worker.postMessage(batch),
    onAnswer: null,
    close: () => void worker.terminate(),
  };
  worker.on("message", (answer) => thread.onAnswer?.(answer));
  return thread;
}
const isolatedSource = `(${serveIsolated.toString()})(require("node:worker_threads").parentPort)`;

/** Everything the engine needs, from Node; `overrides` replaces single parts. */
export function createNodeHost(overrides: Partial<Host> = {}): Host {
  const clock = { now: () => performance.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  return {
    ...clock,
    wallTime: () => Date.now(),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    readAsset: async (path) => {
      const bytes = await readFile(packagePath(`public/${path}`)).catch(() => null);
      if (!bytes) throw new Error(`asset "${path}" is missing`);
      return new Uint8Array(bytes);
    },
    openModel: (name) => openDiskModel(name, packagePath("public/models")),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    startKernelThread: startNodeKernelThread,
    gpu: null,
    store: null,
    isolate: createIsolate({ startIsolated, ...clock }),
    ...overrides,
  };
}
