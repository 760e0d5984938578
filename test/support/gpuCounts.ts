// Counts what is asked of a GPU, by wrapping the WebGPU classes for the time of one call.

export interface GpuCounts {
  dispatches: number;
  passes: number;
  submits: number;
  /** Buffers mapped for reading. */
  reads: number;
  /** Time between the beginning and the end of compute passes: recording only. */
  recordingMs: number;
}

type Method = (this: object, ...args: unknown[]) => unknown;

/** Calls `before` ahead of a method of a global class; returns how to undo it. */
function wrap(className: string, method: string, before: () => void): () => void {
  const { prototype } = (globalThis as unknown as Record<string, { prototype: Record<string, Method> }>)[className]!;
  const original = prototype[method]!;
  prototype[method] = function (...args) {
    before();
    return original.apply(this, args);
  };
  return () => {
    prototype[method] = original;
  };
}

/** Runs `work` and returns what it asked of the GPU, with its result. */
export async function countGpu<T>(work: () => Promise<T>): Promise<{ readonly counts: GpuCounts; readonly result: T }> {
  const counts: GpuCounts = { dispatches: 0, passes: 0, submits: 0, reads: 0, recordingMs: 0 };
  let began = 0;
  const undo = [
    wrap("GPUComputePassEncoder", "dispatchWorkgroups", () => {
      counts.dispatches += 1;
    }),
    wrap("GPUCommandEncoder", "beginComputePass", () => {
      counts.passes += 1;
      began = performance.now();
    }),
    wrap("GPUComputePassEncoder", "end", () => {
      counts.recordingMs += performance.now() - began;
    }),
    wrap("GPUQueue", "submit", () => {
      counts.submits += 1;
    }),
    wrap("GPUBuffer", "mapAsync", () => {
      counts.reads += 1;
    }),
  ];
  try {
    return { result: await work(), counts };
  } finally {
    for (const restore of undo) restore();
  }
}
