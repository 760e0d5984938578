// The engine on Node: real clock, files of public/, kernel threads on worker_threads, no store.
import { availableParallelism, totalmem } from "node:os";
import { setFlagsFromString } from "node:v8";
import { Worker } from "node:worker_threads";
import { nodeThreadSource, type ThreadReply, type ThreadStart } from "../kernels/threadProgram.ts";
import type { KernelThreadHandle } from "../kernels/wasm/kernelModule.ts";
import { errorText } from "../protocol/problems.ts";
import { createSandbox, type SandboxThread } from "../rl/sandbox/sandbox.ts";
import type { Host, UsageReader } from "../train/host.ts";
import { openTokenizer } from "./models/fetchTokenizer.ts";
import { openDiskModel } from "./models/modelPlaces.ts";
import { packagePath, readAsset } from "./packageFiles.ts";

// Node 20 has relaxed SIMD behind a flag; later versions have it on and reject the flag.
if (Number(process.versions.node.split(".")[0]) < 21) setFlagsFromString("--experimental-wasm-relaxed-simd");

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

/** A thread for custom code. It does not keep the process alive. */
function startSandbox(): SandboxThread {
  const worker = new Worker(packagePath("public/sandbox/thread.js"));
  worker.unref();
  const thread: SandboxThread = {
    post: (message) => worker.postMessage(message),
    onReply: null,
    onFailure: null,
    close: () => void worker.terminate(),
  };
  worker.on("message", (reply) => thread.onReply?.(reply));
  worker.on("error", (error) => thread.onFailure?.(`the sandbox could not be started: ${errorText(error)}`));
  return thread;
}

/** How old it may be what the process takes: asking the system costs a fifth of the time of the smallest steps. */
const USAGE_MS = 10;

function usageReader(now: () => number): UsageReader {
  let readAt = Number.NEGATIVE_INFINITY;
  let known = { memoryBytes: 0, cpuSeconds: 0 };
  return () => {
    if (now() - readAt < USAGE_MS) return known;
    readAt = now();
    const { user, system } = process.cpuUsage();
    known = { memoryBytes: process.memoryUsage.rss(), cpuSeconds: (user + system) / 1e6 };
    return known;
  };
}

/** Everything the engine needs, from Node; `overrides` replaces single parts. */
export function createNodeHost(overrides: Partial<Host> = {}): Host {
  const clock = { now: () => performance.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  return {
    ...clock,
    wallTime: () => Date.now(),
    usage: usageReader(clock.now),
    yield: () => new Promise((resolve) => setImmediate(resolve)),
    readAsset,
    openModel: (name, withWeights) => openDiskModel(name, packagePath("public/models"), undefined, withWeights ? undefined : openTokenizer),
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    startKernelThread: startNodeKernelThread,
    gpu: null,
    store: null,
    sandbox: createSandbox({ startSandbox, readAsset, ...clock }),
    ...overrides,
  };
}
