// Sizes of what passes beside a frozen base need: how ids are cut for the head, and the buffers of its two passes.

import type { BufferSource } from "../../../kernels/webgpu/arena.ts";
import { wideFrozen } from "../../../kernels/webgpu/frozen/tile.ts";
import type { Capacity, DeviceSizes } from "../deviceSizes.ts";
import { allShares, type BasePlan, innerWidths, partsOf } from "./basePlan.ts";

/** Words of the logits that a gradient makes again at once, where the device allows. */
const GRADIENT_WORDS = 2 ** 23;
/** Ids whose logits a gradient makes at once for so many scored tokens; whole tiles. */
export function blockIds({ shape, bindingBytes }: DeviceSizes, scored: number): number {
  const tile = wideFrozen.columns;
  const most = Math.floor(Math.min(GRADIENT_WORDS, bindingBytes / 4) / Math.max(1, scored) / tile) * tile;
  return Math.max(tile, Math.min(most, Math.ceil(shape.V / tile) * tile));
}

/** The head's buffers; those of the gradient are there with `keep`. */
export function headBuffers<B>(device: DeviceSizes, base: BasePlan, arena: BufferSource<B>, { rows, scored }: Capacity, keep: boolean) {
  const { D } = device.shape;
  const block = blockIds(device, scored);
  const widths = innerWidths(base);
  const gradientOnly = (name: string, words: number) => arena.storage(name, keep ? words : 1);
  return {
    normed: arena.storage("normed scored", scored * D),
    inverseRms: arena.storage("final inverse rms", scored),
    targetLogits: arena.storage("target logits", scored),
    partials: arena.storage("head partials", scored * 4 * allShares(base)),
    dz: gradientOnly("logit gradients", scored * block),
    dhScored: gradientOnly("dh scored", partsOf(block) * scored * D),
    outer: gradientOnly("outer", rows * Math.max(1, ...Object.values(widths))),
    block,
  };
}
export type HeadBuffers = ReturnType<typeof headBuffers<GPUBuffer>>;
