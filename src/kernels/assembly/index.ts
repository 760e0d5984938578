// What the module exports: the threads' two entry points, sizes that the memory plan needs, and single
// kernels for the choice of a tile and for tests against the plain references.
import { panelBytesTotal, readModel } from "./layout";
import { matmul } from "./product/gemm";
import { takeScratch } from "./scratch";
import { writeConstants } from "./simd";
export { breakDown, run, serve } from "./threads";
export { scratchBytes } from "./scratch";
export { decodeBytes } from "./decode/state";
export { cacheBytes } from "./decode/caches";
export { chunkCount } from "./optimizer";
export { rmsNorm, rmsNormBackward } from "./layers/rmsnorm";
export { rope } from "./layers/rope";
export { swiglu, swigluBackward } from "./layers/swiglu";
export { attendSegment } from "./layers/attention";
export { attendSegmentBackward } from "./layers/attentionBackward";
export { accumulateOuter, matmulPacked, matmulTransposed } from "./product/gemm";
export { packTransposed } from "./product/pack";
export { sampleRow, sampledEntropy, sampledLogprob } from "./decode/sampler";

/** Writes the constants, reads the model's shape and takes thread 0's scratch; before anything else is called. */
export function prepare(): void {
  writeConstants();
  readModel();
  takeScratch(0);
}

/** Bytes of all packed weights of a slot. */
export function panelBytes(backward: bool): usize {
  return panelBytesTotal(backward);
}

/** The product by which a tile is chosen: `repeats` times [96, 192] · [192, 192] with the current tile. */
export function timedProducts(a: usize, b: usize, c: usize, repeats: i32): void {
  for (let i = 0; i < repeats; i++) matmul(96, 192, 192, a, 768, b, 192 * 32, 32, c, 768, false);
}
