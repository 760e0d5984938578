// What every browser offers the engine, whoever's page it is: a clock, a pause, what it knows of the machine,
// threads where they can share memory, WebGPU where there is one.
import type { KernelThreadHandle } from "../src/kernels/wasm/kernelModule.ts";
import { createSandbox, type SandboxThread } from "../src/rl/sandbox/sandbox.ts";
import type { Host } from "../src/train/host.ts";

/** Whether a thread can be handed memory that it shares: some browsers isolate a page and keep such memory from it. */
function canHandOnMemory(): boolean {
  const { port1 } = new MessageChannel();
  try {
    port1.postMessage(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }));
    return true;
  } catch {
    return false;
  } finally {
    port1.close();
  }
}

/** Why threads cannot share memory here, as half a sentence; undefined where they can. */
function threadObstacle(): string | undefined {
  if (self.crossOriginIsolated) return canHandOnMemory() ? undefined : "this browser lets no threads share memory";
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

/** A worker that runs the sandbox's program; where its script does not arrive, it says so. */
export function sandboxThread(worker: Worker): SandboxThread {
  const thread: SandboxThread = {
    onReply: null,
    onFailure: null,
    post: (message) => worker.postMessage(message),
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }) => thread.onReply?.(data);
  worker.onerror = (event) => thread.onFailure?.(event.message || "the thread of the sandbox could not be started");
  return thread;
}

interface Workers {
  /** Runs public/sandbox/thread.js. */
  readonly startSandbox: () => Worker;
  readonly startKernelThread: () => KernelThreadHandle;
}

/** All of a host but its store. */
export function hostParts(readAsset: Host["readAsset"], { startSandbox, startKernelThread }: Workers): Omit<Host, "store"> {
  const obstacle = threadObstacle();
  const clock = { now: () => performance.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  return {
    ...clock,
    readAsset,
    sandbox: createSandbox({ ...clock, readAsset, startSandbox: () => sandboxThread(startSandbox()) }),
    wallTime: () => Date.now(),
    yield: createYield(),
    cores: navigator.hardwareConcurrency || 1,
    memoryBytes: memoryBytes(),
    startKernelThread: obstacle === undefined ? startKernelThread : null,
    threadObstacle: obstacle,
    gpu: navigator.gpu ?? null,
  };
}
