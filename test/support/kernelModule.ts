// A kernel module on a memory of its own, to call single kernels and compare them with their references.
import { readFile } from "node:fs/promises";
import type { ModelSizes } from "../../src/kernels/modelSizes.ts";
import { Arena } from "../../src/kernels/wasm/arena.ts";
import { setTile } from "../../src/kernels/wasm/chooseTile.ts";
import type { KernelBuild, KernelExports } from "../../src/kernels/wasm/kernelModule.ts";
import { reserveScratch, writeShape } from "../../src/kernels/wasm/modelShape.ts";
import type { Random } from "../../src/rl/random.ts";
import "./kernels.ts";

/** Sizes of the one layer that single kernels compute. */
export type LayerShape = Omit<ModelSizes, "layers" | "tiedEmbeddings" | "qkvBias" | "headNorm" | "valueHead" | "rmsNormEps">;

/**
 * What a module exports for tests alone. Arguments are addresses, counts and byte strides in the order
 * of their declarations in src/kernels/assembly; call prepare first.
 */
interface SingleKernels {
  rmsNorm(rows: number, width: number, x: number, w: number, y: number, inverse: number): void;
  rmsNormBackward(rows: number, width: number, x: number, w: number, inverse: number, dy: number, dx: number, dw: number): void;
  rope(rows: number, x: number, stride: number, heads: number, positions: number, sign: number): void;
  swiglu(rows: number, inner: number, gu: number, h: number): void;
  swigluBackward(rows: number, inner: number, gu: number, dh: number, dgu: number): void;
  attendSegment(qkv: number, out: number, logSum: number, start: number, length: number, prefixStart: number, prefixLength: number): void;
  attendSegmentBackward(
    qkv: number,
    out: number,
    logSum: number,
    dOut: number,
    dqkv: number,
    start: number,
    length: number,
    prefixStart: number,
    prefixLength: number,
  ): void;
  packTransposed(w: number, stride: number, out: number, inputs: number, panels: number): void;
  /** c[m, n] (+)= a[m, k] times n panels. */
  matmulPacked(m: number, n: number, k: number, a: number, panels: number, c: number, accumulate: number): void;
  /** c[m, n] += aᵀ b with a [k, m], b [k, n]. */
  accumulateOuter(m: number, n: number, k: number, a: number, b: number, c: number): void;
  sampleRow(logits: number, temperature: number, topK: number, topP: number, minP: number, uniform: number): number;
  readonly sampledLogprob: { readonly value: number };
  readonly sampledEntropy: { readonly value: number };
}

export interface KernelModule {
  readonly kernels: KernelExports & SingleKernels;
  readonly arena: Arena;
  /** Takes memory and fills it; returns its address. */
  put(values: ArrayLike<number>): number;
  read(at: number, count: number): Float64Array;
}

export const kernelBuilds: readonly { readonly build: KernelBuild; readonly tile: 6 | 4 }[] = [
  { build: "relaxed", tile: 6 },
  { build: "relaxed", tile: 4 },
  { build: "plain", tile: 6 },
];

const EPS = 1e-5;

/** Loads a build for a shape (eps 1e-5), with scratch for so many keys. */
export async function loadKernelModule(build: KernelBuild, tile: 6 | 4, shape: LayerShape, maxKeys: number): Promise<KernelModule> {
  const arena = new Arena(false);
  const bytes = await readFile(new URL(`../../public/kernels/engine-${build}.wasm`, import.meta.url));
  const instance = await WebAssembly.instantiate(await WebAssembly.compile(Uint8Array.from(bytes)), { env: { memory: arena.memory } });
  const kernels = instance.exports as unknown as KernelExports & SingleKernels;
  writeShape(arena, { ...shape, layers: 1, tiedEmbeddings: true, qkvBias: false, headNorm: false, valueHead: false, rmsNormEps: EPS });
  setTile(arena, tile);
  reserveScratch(kernels, arena, 1, maxKeys);
  return {
    kernels,
    arena,
    put: (values) => {
      const at = arena.take(values.length * 4);
      arena.floats(at, values.length).set(values);
      return at;
    },
    read: (at, count) => Float64Array.from(arena.floats(at, count)),
  };
}

/** `count` standard normal numbers as float32 values. */
export function normals(random: Random, count: number): Float64Array {
  return Float64Array.from({ length: count }, () => Math.fround(random.normal()));
}
