// The compiled kernels: which of the modules a machine can run, what one offers to TypeScript, and what it needs.
// Where the words lie that they read is in ../assembly/memoryMap.ts.
import type { KERNEL_BUILDS } from "../../protocol/messages.ts";

/** Relaxed lets multiply and add be fused (relaxed SIMD); plain runs wherever WebAssembly has SIMD. */
export type KernelBuild = "relaxed" | "plain";
/** A build and what it was measured to do here. Fused ones have the same bits everywhere, and so have the two others. */
export type MeasuredBuild = (typeof KERNEL_BUILDS)[number];

interface LoadedKernels {
  readonly build: KernelBuild;
  readonly module: WebAssembly.Module;
}

const assetPath = (build: KernelBuild, shared: boolean) => `kernels/engine-${build}${shared ? "-shared" : ""}.wasm`;

/** Loads the wanted build, or the best one that validates here. Throws where the wanted one does not. */
export async function loadKernels(host: Pick<KernelHost, "readAsset">, shared: boolean, wanted?: KernelBuild): Promise<LoadedKernels> {
  for (const build of wanted ? [wanted] : (["relaxed", "plain"] as const)) {
    const bytes = Uint8Array.from(await host.readAsset(assetPath(build, shared)));
    if (WebAssembly.validate(bytes)) return { build, module: await WebAssembly.compile(bytes) };
  }
  throw new Error(
    `the ${wanted ?? "WASM"} kernels need ${wanted === "relaxed" ? "relaxed SIMD" : "WebAssembly SIMD"}, which is missing here`,
  );
}

/** What a module exports. Addresses and byte counts are below 2^31. */
export interface KernelExports {
  /** Runs the job on all threads; returns when it is done. */
  run(): void;
  /** Says that a thread has broken down, so that the first waits for it no more. */
  breakDown(thread: number): void;
  /** The life of any thread but the first. */
  serve(thread: number): void;
  /** Bytes of scratch a thread needs for attention rows of so many keys. */
  scratchBytes(keys: number): number;
  /** Bytes of all packed weights of a slot. */
  panelBytes(backward: number): number;
  /** Bytes of a key/value cache of so many positions. */
  cacheBytes(capacity: number): number;
  /** Bytes of the decoding state of so many rows on so many threads, for so many keys of one row. */
  decodeBytes(rows: number, keys: number, threads: number): number;
  /** Chunks the optimizer cuts a flat buffer into. */
  chunkCount(count: number): number;
  /** Takes the model's shape and thread 0's scratch; before the sizes above and the kernels below. */
  prepare(): void;
  /** Multiplies [96, 192] by a packed [192, 192] so many times. */
  timedProducts(a: number, b: number, c: number, repeats: number): void;
}

/** A thread that serves jobs on shared memory until it is closed. */
export interface KernelThreadHandle {
  /** Instantiates the module on the memory; resolves when the thread can take jobs. */
  start(module: unknown, memory: unknown, index: number): Promise<void>;
  close(): void;
}

/** What the kernels need from the world around them: the part of the engine's Host they use. */
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
