// What the layers of a pass read and write: of each layer its own where a gradient will follow, otherwise shared by all.
import type { DeviceSizes } from "./deviceSizes.ts";
import { innerWidths } from "./frozen/basePlan.ts";

/** What only passes beside a frozen base need: a norm's output, raw queries, keys and values, and the adapters' inner vectors. */
function frozenBuffers<B>(
  { shape, base }: DeviceSizes,
  shared: (name: string, words: number) => B,
  own: (name: string, words: number) => B,
) {
  if (!base) return null;
  const widths = innerWidths(base);
  const inner = (name: keyof typeof widths) => own(`inner ${name}`, Math.max(1, widths[name]));
  return {
    normed: shared("normed", shape.D),
    raw: own("raw", base.headParts.qkvBias || base.headParts.headNorm ? shape.Q + 2 * shape.KV : 1),
    inner: { qkv: inner("qkv"), output: inner("output"), gateUp: inner("gateUp"), down: inner("down") },
  };
}

/** Buffers of all layers for so many rows; with `keep` each has its own, otherwise they share them. Keys and values may lie in given ones. */
export function layerBuffers<B>(
  device: DeviceSizes,
  storage: (name: string, words: number) => B,
  rows: number,
  keep: boolean,
  caches: readonly B[] = [],
) {
  const { D, F, Q, KV, heads } = device.shape;
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
      frozen: frozenBuffers(device, shared, own),
    };
  });
}
/** What one layer reads and writes. `gates` only where a gradient will follow. */
export type LayerBuffers = ReturnType<typeof layerBuffers<GPUBuffer>>[number];
