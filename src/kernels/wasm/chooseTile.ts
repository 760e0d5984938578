// What the engine measures when it starts: which tile of the matrix product suits the machine's registers, and whether
// a multiply-add of the relaxed build is rounded once here.
import { MODEL, MODEL_TILE_ROWS } from "../assembly/memoryMap.ts";
import type { Arena } from "./arena.ts";
import type { KernelBuild, KernelExports, KernelHost, MeasuredBuild } from "./kernelModule.ts";
import { reserveScratch } from "./modelShape.ts";

const TILE_WORD = MODEL + MODEL_TILE_ROWS;
const TRIAL_MS = 20;
const PRODUCT_FLOPS = 2 * 96 * 192 * 192;
/** Length of one timing where the clock is fine: short, so that the best of several were not interrupted. */
const FINE_MS = 2;
/** Length where it is coarse: the end is known to within a product or a tick, whichever is less. */
const COARSE_MS = 10;
/** Longest tick of a clock that counts as fine. */
const FINE_TICK_MS = FINE_MS / 16;
/** An engine that spills registers loses a quarter and more with the higher tile; less is the machine's noise. */
const NOISE = 1.1;

/** Sets a tile without measuring and returns its rows. */
export function setTile(arena: Arena, rows: 6 | 4): 6 | 4 {
  arena.words(TILE_WORD, 1)[0] = rows;
  return rows;
}

/** Waits until the clock moves; its new reading. */
function nextTick(host: KernelHost): number {
  const before = host.now();
  let now = before;
  while (now === before) now = host.now();
  return now;
}

/** Speed of one thread in GFLOP/s: products counted from a tick of the clock until so many ms have gone by. */
function timeProducts(host: KernelHost, multiply: () => void, lengthMs: number): number {
  const start = nextTick(host);
  let elapsedMs = 0;
  let products = 0;
  while (elapsedMs < lengthMs) {
    multiply();
    products++;
    elapsedMs = host.now() - start;
  }
  return (products * PRODUCT_FLOPS) / elapsedMs / 1e6;
}

/** Places for the timed product's factors, each filled with one value, and its result. */
function takeProduct(kernels: KernelExports, arena: Arena, value: number) {
  arena.begin();
  const a = arena.take(96 * 192 * 4);
  const b = arena.take(192 * 192 * 4);
  const c = arena.take(96 * 192 * 4);
  reserveScratch(kernels, arena, 1, 0);
  arena.floats(a, 96 * 192).fill(value);
  arena.floats(b, 192 * 192).fill(value);
  return { a, b, c };
}

/** What computes here: the specification of relaxed SIMD leaves it to processor and engine how often a multiply-add is rounded. */
export function measureBuild(build: KernelBuild, kernels: KernelExports, arena: Arena): MeasuredBuild {
  if (build === "plain") return build;
  const { a, b, c } = takeProduct(kernels, arena, 0);
  // The square of x lies half-way between two numbers. Less the one that it is rounded to, something is left of the exact one alone.
  const x = 1 + 2 ** -12;
  arena.floats(a, 2).set([-1, x]);
  // A panel of b has 8 columns.
  arena.floats(b, 9).set([Math.fround(x * x), 0, 0, 0, 0, 0, 0, 0, x]);
  kernels.timedProducts(a, b, c, 1);
  return arena.floats(c, 1)[0] === 0 ? "relaxed, unfused" : "relaxed, fused";
}

/** Speeds of both tiles, in GFLOP/s of one thread; takes some 20 ms, 40 and more with a coarse clock. */
export function measureTiles(kernels: KernelExports, arena: Arena, host: KernelHost): { readonly 6: number; readonly 4: number } {
  const { a, b, c } = takeProduct(kernels, arena, 1);
  const tick = nextTick(host);
  const tickMs = nextTick(host) - tick;
  const lengthMs = tickMs > FINE_TICK_MS ? COARSE_MS : FINE_MS;
  const best = { 6: 0, 4: 0 };
  const start = host.now();
  // Best of several: the first ones run unoptimised code, others may be interrupted.
  for (let round = 0; round < 2 || host.now() - start < TRIAL_MS; round++) {
    for (const rows of [6, 4] as const) {
      setTile(arena, rows);
      kernels.prepare();
      best[rows] = Math.max(
        best[rows],
        timeProducts(host, () => kernels.timedProducts(a, b, c, 1), lengthMs),
      );
    }
  }
  return best;
}

/**
 * Measures both tiles and sets the higher one unless it is clearly slower: 6x8 needs 15 vector registers,
 * which some engines spill. Results have the same bits either way.
 */
export function chooseTile(kernels: KernelExports, arena: Arena, host: KernelHost): 6 | 4 {
  const speeds = measureTiles(kernels, arena, host);
  return setTile(arena, NOISE * speeds[6] >= speeds[4] ? 6 : 4);
}
