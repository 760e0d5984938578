// Backends on the project's own kernels, in every build and with several threads; compiled first
// where they are out of date.

import { buildKernels } from "../../scripts/build/buildKernels.mjs";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { createWasmBackend, type WasmBackend, type WasmBackendOptions } from "../../src/model/wasm/wasmBackend.ts";
import { createNodeHost } from "./nodeHost.ts";

await buildKernels();

/** What one machine can run: both builds, alone and on two threads. */
export const kernelVariants: readonly { readonly name: string; readonly options: WasmBackendOptions }[] = [
  { name: "relaxed SIMD, one thread", options: { threads: 1, build: "relaxed" } },
  { name: "relaxed SIMD, two threads", options: { threads: 2, build: "relaxed" } },
  { name: "plain SIMD, one thread", options: { threads: 1, build: "plain" } },
  { name: "plain SIMD, two threads", options: { threads: 2, build: "plain" } },
];

/** A backend on Node's host. */
export const createKernelBackend = (config: TransformerConfig, options: WasmBackendOptions): Promise<WasmBackend> =>
  createWasmBackend(config, createNodeHost(), options);
