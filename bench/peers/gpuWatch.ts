// Counts what reaches the GPU by standing in front of the WebGPU calls that put it there, and times the
// JavaScript between opening a command encoder and the return of its submit. Works for any library.
import type { GpuCounts } from "../peer.ts";

const counts = { dispatches: 0, passes: 0, submits: 0, recordMs: 0 };
let openedAt: number | null = null;
let watching = false;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method of a WebGPU class by one that also calls `before` and `after`. */
function wrap(className: string, method: string, before: () => void, after: () => void = () => {}): void {
  const prototype = (globalThis as unknown as Record<string, { prototype: Record<string, Method> } | undefined>)[className]?.prototype;
  const original = prototype?.[method];
  if (!prototype || !original) throw new Error(`this WebGPU has no ${className}.${method} to count`);
  prototype[method] = function (this: unknown, ...args: unknown[]) {
    before();
    const result = original.apply(this, args);
    after();
    return result;
  };
}

/** Starts counting, once, before any device is made. */
export function watchGpu(): void {
  if (watching) return;
  watching = true;
  wrap("GPUComputePassEncoder", "dispatchWorkgroups", () => {
    counts.dispatches += 1;
  });
  wrap("GPUCommandEncoder", "beginComputePass", () => {
    counts.passes += 1;
  });
  wrap("GPUDevice", "createCommandEncoder", () => {
    openedAt ??= performance.now();
  });
  wrap(
    "GPUQueue",
    "submit",
    () => {
      counts.submits += 1;
    },
    () => {
      if (openedAt !== null) counts.recordMs += performance.now() - openedAt;
      openedAt = null;
    },
  );
}

/** What `work` put on the GPU; null where nothing is watched. */
export async function countGpu(work: () => Promise<void>): Promise<GpuCounts | null> {
  if (!watching) return null;
  const before = { ...counts };
  await work();
  return {
    dispatches: counts.dispatches - before.dispatches,
    passes: counts.passes - before.passes,
    submits: counts.submits - before.submits,
    recordMs: counts.recordMs - before.recordMs,
  };
}
