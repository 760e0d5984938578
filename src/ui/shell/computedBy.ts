// What a backend computes with, in words. A run repeats to the bit only on the same build of the kernels,
// so the build is said where the backend is.
import type { BackendReport } from "../../protocol/messages.ts";

const BUILDS = { relaxed: "relaxed SIMD", plain: "plain SIMD" } as const;

/** Threads, and the build of the WASM kernels where they compute. */
export function computedBy({ threads, kernelBuild }: BackendReport): string {
  const counted = threads === 1 ? "One thread" : `${threads} threads`;
  return kernelBuild ? `${counted}, kernels with ${BUILDS[kernelBuild]}.` : `${counted}.`;
}
