// What the kernels need from the world around them: the part of the engine's Host they use.

/** A thread that serves jobs on shared memory until it is closed. */
export interface KernelThreadHandle {
  /** Instantiates the module on the memory; resolves when the thread can take jobs. */
  start(module: unknown, memory: unknown, index: number): Promise<void>;
  close(): void;
}

export interface KernelHost {
  /** Milliseconds from any fixed origin, never going back. */
  now(): number;
  /** A file of public/, for instance "models/base/config.json"; throws naming the file when it is missing. */
  readAsset(path: string): Promise<Uint8Array>;
  /** Starts a thread, or null where memory cannot be shared. */
  readonly startKernelThread: (() => KernelThreadHandle) | null;
  /** Why memory cannot be shared, as half a sentence; left out where it can. */
  readonly threadObstacle?: string | undefined;
}
