// What the module exports: the threads' two entry points, sizes that the memory plan needs, and single
// kernels for the probe and for tests against the plain references.
import { panelBytesTotal, readModel } from "./layout";
import { matmul } from "./gemm";
import { takeScratch } from "./scratch";
import { writeConstants } from "./simd";
export { run, serve } from "./threads";
export { scratchBytes } from "./scratch";
export { decodeBytes } from "./decode";
export { cacheBytes } from "./caches";
export { chunkCount } from "./optimizer";
export { rmsNorm, rmsNormBackward } from "./rmsnorm";
export { rope } from "./rope";
export { swiglu, swigluBackward } from "./swiglu";
export { attendSegment } from "./attention";
export { attendSegmentBackward } from "./attentionBackward";
export { accumulateOuter, matmulPacked, matmulTransposed } from "./gemm";
export { packTransposed } from "./pack";
export { sampleRow, sampledEntropy, sampledLogprob } from "./sampler";

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

/** The product that the probe times: `repeats` times [96, 192] · [192, 192] with the current tile. */
export function probe(a: usize, b: usize, c: usize, repeats: i32): void {
  for (let i = 0; i < repeats; i++) matmul(96, 192, 192, a, 768, b, 192 * 32, 32, c, 768, false);
}
