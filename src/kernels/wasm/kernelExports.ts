// What the compiled kernels offer to TypeScript. Where the words lie that they read is in
// ../assembly/memoryMap.ts.

/** What a module exports. Addresses and byte counts are below 2^31. */
export interface KernelExports {
  /** Runs the job on all threads; returns when it is done. */
  run(): void;
  /** The life of any thread but the first. */
  serve(thread: number): void;
  /** Bytes of scratch a thread needs for attention rows of so many keys. */
  scratchBytes(keys: number): number;
  /** Bytes of all packed weights of a slot. */
  panelBytes(backward: number): number;
  /** Bytes of a key/value cache of so many positions. */
  cacheBytes(capacity: number): number;
  /** Bytes of one thread's decoding state. */
  decodeBytes(rows: number, keys: number): number;
  /** Chunks the optimizer cuts a flat buffer into. */
  chunkCount(count: number): number;
  /** Takes the model's shape and thread 0's scratch; before the sizes above and the kernels below. */
  prepare(): void;
  /** Multiplies [96, 192] by a packed [192, 192] so many times. */
  probe(a: number, b: number, c: number, repeats: number): void;
}
