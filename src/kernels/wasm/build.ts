// Which of the compiled modules a machine can run.

import type { KernelHost } from "./kernelHost.ts";

/** Relaxed fuses multiply and add (relaxed SIMD); plain runs wherever WebAssembly has SIMD. */
export type KernelBuild = "relaxed" | "plain";

export interface LoadedKernels {
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
