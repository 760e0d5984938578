// What the layers of a pass read and write: of each layer its own where a gradient will follow, otherwise shared by all.
import type { DeviceSizes } from "./deviceSizes.ts";
import { innerWidths, isSplit, PRODUCT_NAMES, type Product } from "./modelPlan.ts";

/**
 * Buffers of all layers for so many rows; with `keep` each has its own, otherwise they share them. Keys and values may
 * lie in given ones.
 */
export function layerBuffers<B>(
  device: DeviceSizes,
  storage: (name: string, words: number) => B,
  rows: number,
  keep: boolean,
  caches: readonly B[] = [],
) {
  const { D, F, Q, KV, heads } = device.shape;
  const widths = innerWidths(device.plan);
  return Array.from({ length: device.config.layers }, (_, layer) => {
    const at = keep ? layer : 0;
    const own = (name: string, words: number) => storage(`${name} ${at}`, rows * words);
    const shared = (name: string, words: number) => storage(name, rows * words);
    return {
      x: own("x", D),
      q: own("q", Q),
      kv: caches[layer] ?? own("kv", 2 * KV),
      o: own("o", Q),
      stats: own("stats", 2 * heads),
      attended: own("attended", D),
      inverseRms1: own("inverse rms 1", 1),
      inverseRms2: own("inverse rms 2", 1),
      act: shared("act", F),
      gates: keep ? own("gates", 2 * F) : null,
      next: storage(`x ${keep ? layer + 1 : 0}`, rows * D),
      /** Queries, keys and values before what lies between their product and RoPE. */
      raw: isSplit(device.plan) ? own("raw", Q + 2 * KV) : null,
      /** A norm's output where adapters need it too, and the inner vectors of each product's. */
      normed: widths.qkv + widths.gateUp > 0 ? shared("normed", D) : null,
      inner: Object.fromEntries(
        PRODUCT_NAMES.map((name) => [name, widths[name] > 0 ? own(`inner ${name}`, widths[name]) : null]),
      ) as Record<Product, B | null>,
    };
  });
}
/** What one layer reads and writes. `gates` only where a gradient will follow. */
export type LayerBuffers = ReturnType<typeof layerBuffers<GPUBuffer>>[number];
