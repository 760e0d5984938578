// What every browser offers the engine, whoever's page it is: a clock, a pause, what it knows of the machine,
// WebGPU where there is one.
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

/** All of a host but its files, threads and store. */
export function hostParts(): Omit<Host, "readAsset" | "startKernelThread" | "store"> {
  return {
    now: () => performance.now(),
    wallTime: () => Date.now(),
    yield: createYield(),
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    cores: navigator.hardwareConcurrency || 1,
    memoryBytes: memoryBytes(),
    threadObstacle: threadObstacle(),
    gpu: navigator.gpu ?? null,
  };
}
