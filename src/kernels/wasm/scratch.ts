// Gives every thread its working memory for the current request.
import * as map from "../assembly/memoryMap.ts";
import type { Arena } from "./arena.ts";
import type { KernelExports } from "./kernelExports.ts";

/** Takes scratch for attention rows of at most `maxKeys` keys, for each thread, and lets thread 0 see it. */
export function takeScratch(kernels: KernelExports, arena: Arena, threads: number, maxKeys: number): void {
  kernels.prepare(); // sizes follow from the model's shape
  const stride = kernels.scratchBytes(maxKeys);
  const base = arena.take(stride * threads);
  const job = arena.words(map.JOB, map.JOB_BYTES / 4);
  job[map.JOB_SCRATCH >> 2] = base;
  job[map.JOB_SCRATCH_STRIDE >> 2] = stride;
  job[map.JOB_MAX_KEYS >> 2] = maxKeys;
  kernels.prepare();
}
