// Which tile of the matrix product suits a machine's registers: measured once, when the engine starts.
import type { Arena } from "./arena.ts";
import { type KernelExports, MODEL_ADDRESS } from "./header.ts";
import type { KernelHost } from "./kernelHost.ts";
import { takeScratch } from "./scratch.ts";

/** Tile height and the multiply speed of both, in GFLOP/s of one thread. */
export interface TileChoice {
  readonly rows: 6 | 4;
  readonly gflops6: number;
  readonly gflops4: number;
}

const TILE_WORD = MODEL_ADDRESS + 40;
const PROBE_MS = 20;
const PROBE_FLOPS = 2 * 96 * 192 * 192;
/** An engine that spills registers loses a quarter and more with the higher tile; less is the machine's noise. */
const NOISE = 1.1;

/** Sets a tile without measuring. */
export function setTile(arena: Arena, rows: 6 | 4): TileChoice {
  arena.words(TILE_WORD, 1)[0] = rows;
  return { rows, gflops6: 0, gflops4: 0 };
}

/**
 * Times both tiles for some 20 ms and sets the higher one unless it is clearly slower: 6x8 needs 15 vector
 * registers, which some engines spill. Results have the same bits either way.
 */
export function chooseTile(kernels: KernelExports, arena: Arena, host: KernelHost): TileChoice {
  arena.begin();
  const a = arena.take(96 * 192 * 4);
  const b = arena.take(192 * 192 * 4);
  const c = arena.take(96 * 192 * 4);
  takeScratch(kernels, arena, 1, 0);
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
  const rows = NOISE * best[6] >= best[4] ? 6 : 4;
  arena.words(TILE_WORD, 1)[0] = rows;
  return { rows, gflops6: best[6], gflops4: best[4] };
}
