// What the engine needs from the world around it. The engine has no DOM, clock, network or disk of
// its own; the browser worker, Node and tests each give it one of these.
import type { ResumableRun } from "../protocol/messages.ts";

/** A thread that runs the WASM kernels on shared memory until it is closed. */
export interface KernelThread {
  /** Instantiates the module on the memory and serves jobs as the given thread; resolves when it is up. */
  start(module: unknown, memory: unknown, index: number): Promise<void>;
  close(): void;
}

/** A saved run: what is needed to go on with it as if nothing had happened. */
export interface SavedRun extends ResumableRun {
  readonly bytes: Uint8Array;
}

export interface Host {
  /** Milliseconds from any fixed origin, never going back. */
  now(): number;
  /** Wall-clock time in milliseconds since 1970, for labels only. */
  wallTime(): number;
  /** Lets pending commands arrive; resolves as soon as they have. */
  yield(): Promise<void>;
  /** Waits without blocking. */
  sleep(ms: number): Promise<void>;
  /** A file of public/, for instance "models/base/config.json"; throws naming the file when it is missing. */
  readAsset(path: string): Promise<Uint8Array>;
  readonly cores: number;
  /** Starts a kernel thread, or null where memory cannot be shared. */
  readonly startKernelThread: (() => KernelThread) | null;
  /** URL of the folder with TensorFlow.js's .wasm files, "/" at the end; left out where it finds them itself. */
  readonly tfjsWasmFolder?: string;
  /** WebGPU, where there is one. */
  readonly gpu: GPU | null;
  /** Saved runs; null where nothing can be stored. */
  readonly store: RunStore | null;
}

export interface RunStore {
  list(): Promise<readonly ResumableRun[]>;
  save(run: SavedRun): Promise<void>;
  load(runId: string): Promise<SavedRun | null>;
  remove(runId: string): Promise<void>;
}
