// Gives every thread its working memory for the current request.
import type { Arena } from "./arena.ts";
import { JOB_ADDRESS, JOB_WORDS, type KernelExports } from "./header.ts";

/** Takes scratch for attention rows of at most `maxKeys` keys, for each thread, and lets thread 0 see it. */
export function takeScratch(kernels: KernelExports, arena: Arena, threads: number, maxKeys: number): void {
  kernels.prepare(); // sizes follow from the model's shape
  const stride = kernels.scratchBytes(maxKeys);
  const base = arena.take(stride * threads);
  const job = arena.words(JOB_ADDRESS, 16);
  job[JOB_WORDS.scratch >> 2] = base;
  job[JOB_WORDS.scratchStride >> 2] = stride;
  job[JOB_WORDS.maxKeys >> 2] = maxKeys;
  kernels.prepare();
}
