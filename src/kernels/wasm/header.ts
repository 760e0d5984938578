// Addresses and word offsets that the kernels read: the TypeScript half of ../assembly/layout.ts.

/** Shape of the model, in words of 4 bytes. */
export const MODEL_ADDRESS = 256;
/** Weights, forward panels and backward panels of each slot, 16 bytes a slot. */
export const SLOTS_ADDRESS = 384;
export const JOB_ADDRESS = 512;
export const STEP_ADDRESS = 896;
/** First byte that is free for weights and activations. */
export const ARENA_START = 2048;

export const JOB_KINDS = {
  stop: 0,
  forward: 1,
  backward: 2,
  packForward: 3,
  packBackward: 4,
  reduce: 5,
  update: 6,
  beginDecode: 7,
  decode: 8,
} as const;

export type JobKind = keyof typeof JOB_KINDS;

/** Byte offsets of the words of a job. */
export const JOB_WORDS = {
  kind: 0,
  slot: 4,
  count: 12,
  partitions: 16,
  temperature: 20,
  scratch: 24,
  scratchStride: 28,
  maxKeys: 32,
  threads: 36,
  steps: 40,
} as const;

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
