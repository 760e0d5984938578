// Counts what reaches the GPU by standing in front of the WebGPU calls that put it there, and times the
// JavaScript between opening a command encoder and the return of its submit. Works for any library, and
// is out of the way when nothing is counted.
import type { GpuCounts } from "../../peer.ts";

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** Replaces a method of a WebGPU class by one that also calls `before` and `after`; returns how to undo it. */
function wrap(className: string, method: string, before: () => void, after: () => void = () => {}): () => void {
  const prototype = (globalThis as unknown as Record<string, { prototype: Record<string, Method> } | undefined>)[className]?.prototype;
  const original = prototype?.[method];
  if (!prototype || !original) throw new Error(`this WebGPU has no ${className}.${method} to count`);
  prototype[method] = function (this: unknown, ...args: unknown[]) {
    before();
    const result = original.apply(this, args);
    after();
    return result;
  };
  return () => {
    prototype[method] = original;
  };
}

/** What `work` put on the GPU. Throws where there is no WebGPU. */
export async function countGpu(work: () => Promise<void>): Promise<GpuCounts> {
  const counts = { dispatches: 0, passes: 0, submits: 0, recordMs: 0 };
  let openedAt: number | null = null;
  const submitted = () => {
    if (openedAt !== null) counts.recordMs += performance.now() - openedAt;
    openedAt = null;
  };
  const undo = [
    wrap("GPUComputePassEncoder", "dispatchWorkgroups", () => {
      counts.dispatches += 1;
    }),
    wrap("GPUCommandEncoder", "beginComputePass", () => {
      counts.passes += 1;
    }),
    wrap("GPUDevice", "createCommandEncoder", () => {
      openedAt ??= performance.now();
    }),
    wrap(
      "GPUQueue",
      "submit",
      () => {
        counts.submits += 1;
      },
      submitted,
    ),
  ];
  try {
    await work();
    return counts;
  } finally {
    for (const restore of undo) restore();
  }
}
