// The choice of the tile on clocks from fine to coarse: kernels of known speed on a clock that only they move.
import { describe, expect, it } from "vitest";
import { MODEL, MODEL_TILE_ROWS } from "../../src/kernels/assembly/memoryMap.ts";
import { Arena } from "../../src/kernels/wasm/arena.ts";
import { chooseTile, measureTiles } from "../../src/kernels/wasm/chooseTile.ts";
import type { KernelExports, KernelHost } from "../../src/kernels/wasm/kernelModule.ts";

const TILE_WORD = MODEL + MODEL_TILE_ROWS;
const PRODUCT_GFLOP = (2 * 96 * 192 * 192) / 1e9;
/** What a look at the clock takes. */
const READING_MS = 1e-4;

/** Kernels whose tiles have these speeds, and a clock that shows whole multiples of `tickMs`. */
function machine(gflops: { readonly 6: number; readonly 4: number }, tickMs: number) {
  const arena = new Arena(false);
  let time = 0;
  const kernels = {
    prepare: () => undefined,
    scratchBytes: () => 0,
    timedProducts: (_a: number, _b: number, _c: number, repeats: number) => {
      const rows = arena.words(TILE_WORD, 1)[0] as 6 | 4;
      time += ((repeats * PRODUCT_GFLOP) / gflops[rows]) * 1000;
    },
  } as unknown as KernelExports;
  const now = () => {
    time += READING_MS;
    return Math.floor(time / tickMs) * tickMs;
  };
  const host: KernelHost = { now, readAsset: async () => new Uint8Array(), startKernelThread: null };
  const choose = () => {
    const rows = chooseTile(kernels, arena, host);
    expect(arena.words(TILE_WORD, 1)[0]).toBe(rows);
    return rows;
  };
  return { choose, measure: () => measureTiles(kernels, arena, host), elapsedMs: () => time };
}

describe("chooseTile", () => {
  const clocks = [0.001, 0.005, 0.1, 1, 16.7];

  it.each(clocks)("measures speeds to a tenth with a clock of %f ms", (tickMs) => {
    for (const speed of [2, 15, 40]) {
      const measured = machine({ 6: speed, 4: 0.8 * speed }, tickMs).measure();
      expect(Math.abs(measured[6] / speed - 1)).toBeLessThan(0.1);
      expect(Math.abs(measured[4] / (0.8 * speed) - 1)).toBeLessThan(0.1);
    }
  });

  it.each(clocks)("takes the lower tile only where it is clearly faster, with a clock of %f ms", (tickMs) => {
    expect(machine({ 6: 15, 4: 20 }, tickMs).choose()).toBe(4);
    expect(machine({ 6: 20, 4: 20 }, tickMs).choose()).toBe(6);
  });

  it.each([
    [0.001, 30],
    [0.1, 30],
    [1, 60],
    [16.7, 200],
  ])("with a clock of %f ms takes at most %i ms", (tickMs, mostMs) => {
    const timed = machine({ 6: 20, 4: 18 }, tickMs);
    timed.choose();
    expect(timed.elapsedMs()).toBeLessThan(mostMs);
  });
});
