// Which of the compiled modules a machine can run, and which tile suits its registers.

import type { Arena } from "./arena.ts";
import { type KernelExports, MODEL_ADDRESS } from "./header.ts";
import type { KernelHost } from "./kernelHost.ts";

/** Relaxed fuses multiply and add (relaxed SIMD); plain runs wherever WebAssembly has SIMD. */
export type KernelBuild = "relaxed" | "plain";

export interface LoadedKernels {
  readonly build: KernelBuild;
  readonly module: WebAssembly.Module;
}

const assetPath = (build: KernelBuild, shared: boolean) => `kernels/engine-${build}${shared ? "-shared" : ""}.wasm`;

/** Loads the wanted build, or the best one that validates here. Throws where the wanted one does not. */
export async function loadKernels(host: KernelHost, shared: boolean, wanted?: KernelBuild): Promise<LoadedKernels> {
  for (const build of wanted ? [wanted] : (["relaxed", "plain"] as const)) {
    const bytes = Uint8Array.from(await host.readAsset(assetPath(build, shared)));
    if (WebAssembly.validate(bytes)) return { build, module: await WebAssembly.compile(bytes) };
  }
  throw new Error(
    `the ${wanted ?? "WASM"} kernels need ${wanted === "relaxed" ? "relaxed SIMD" : "WebAssembly SIMD"}, which is missing here`,
  );
}

/** Tile height and the multiply speed of both, in GFLOP/s of one thread. */
export interface TileChoice {
  readonly rows: 6 | 4;
  readonly gflops6: number;
  readonly gflops4: number;
}

const TILE_WORD = MODEL_ADDRESS + 40;
const PROBE_MS = 20;
const PROBE_FLOPS = 2 * 96 * 192 * 192;

/**
 * Times both tiles for some 20 ms and sets the faster one: 6x8 needs 15 vector registers, which some
 * engines spill. Results have the same bits either way.
 */
export function chooseTile(kernels: KernelExports, arena: Arena, host: KernelHost): TileChoice {
  arena.begin();
  const a = arena.take(96 * 192 * 4);
  const b = arena.take(192 * 192 * 4);
  const c = arena.take(96 * 192 * 4);
  arena.floats(a, 96 * 192).fill(1);
  arena.floats(b, 192 * 192).fill(1);
  const best = { 6: 0, 4: 0 };
  const start = host.now();
  // Best of many short runs: the first ones run unoptimised code, others may be interrupted.
  while (host.now() - start < PROBE_MS || best[4] === 0) {
    for (const rows of [6, 4] as const) {
      arena.words(TILE_WORD, 1)[0] = rows;
      kernels.prepare();
      const before = host.now();
      kernels.probe(a, b, c, 4);
      const elapsedMs = host.now() - before;
      best[rows] = Math.max(best[rows], (4 * PROBE_FLOPS) / Math.max(elapsedMs, 1e-3) / 1e6);
    }
  }
  const rows = best[6] >= best[4] ? 6 : 4;
  arena.words(TILE_WORD, 1)[0] = rows;
  return { rows, gflops6: best[6], gflops4: best[4] };
}
