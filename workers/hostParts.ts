// What every browser offers the engine, whoever's page it is: a clock, a pause, what it knows of the machine,
// WebGPU where there is one.
import { createIsolate, type IsolatedThread } from "../src/rl/rewards/isolate.ts";
import type { Host } from "../src/train/host.ts";

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

/** A worker for work that may never end; where its script does not arrive, it answers so. */
export function isolatedThread(worker: Worker): IsolatedThread {
  let waiting = 0;
  const thread: IsolatedThread = {
    onAnswer: null,
    post(batch) {
      waiting = batch.inputs.length;
      worker.postMessage(batch);
    },
    close: () => worker.terminate(),
  };
  worker.onmessage = ({ data }) => {
    if (data !== "up") waiting -= 1;
    thread.onAnswer?.(data);
  };
  worker.onerror = (event) => {
    const reason = event.message || "the thread for what may never end could not be started";
    for (; waiting > 0; waiting--) thread.onAnswer?.({ reason });
  };
  return thread;
}

/** All of a host but its files, threads and store. @param startIsolated starts the worker of an isolated thread. */
export function hostParts(startIsolated: () => Worker): Omit<Host, "readAsset" | "startKernelThread" | "store"> {
  const clock = { now: () => performance.now(), sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)) };
  return {
    ...clock,
    isolate: createIsolate({ ...clock, startIsolated: () => isolatedThread(startIsolated()) }),
    wallTime: () => Date.now(),
    yield: createYield(),
    cores: navigator.hardwareConcurrency || 1,
    memoryBytes: memoryBytes(),
    threadObstacle: threadObstacle(),
    gpu: navigator.gpu ?? null,
  };
}
