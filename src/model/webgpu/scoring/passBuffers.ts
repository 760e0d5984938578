// Scratch of a scoring pass that all layers share, and what the head reads and writes.
import type { BufferSource } from "../../../kernels/webgpu/arena.ts";
import { rowInfoWords } from "../../../kernels/webgpu/kernel.ts";
import type { Capacity, DeviceSizes } from "../plan/deviceSizes.ts";
import { allShares, blockIds, partsOf } from "../plan/headPlan.ts";
import { innerWidths } from "../plan/modelPlan.ts";

/** What only a gradient needs is there with `keep`. */
export function passBuffers<B>(
  engine: DeviceSizes & { rope(positions: number): B },
  arena: BufferSource<B>,
  { rows, scored, positions }: Capacity,
  keep: boolean,
) {
  const { D, Q, KV, V } = engine.shape;
  const isEmbeddingTrained = engine.plan.embedding.some(({ rows: { stored } }) => stored === null);
  const gradientOnly = (name: string, words: number) => arena.storage(name, keep ? words : 1);
  return {
    // Each row may add one range of users of its prefix.
    rowInfo: arena.storage("row info", rows * (rowInfoWords + 4)),
    rope: engine.rope(positions),
    asked: arena.storage("asked", scored * 2),
    rowScores: gradientOnly("row scores", rows + 1 + 2 * scored),
    /** Where the rows of each token are told, for a trained embedding. */
    tokenRows: keep && isEmbeddingTrained ? arena.storage("token rows", V + 1 + rows) : null,
    scores: arena.storage("scores", scored * 4),
    tokenGradients: gradientOnly("token gradients", scored * 4),
    /** Gradient of the residual stream, of a norm's output, of an attention output, and of q, k and v. */
    dx: gradientOnly("dx", rows * D),
    dh: gradientOnly("dh", rows * D),
    dO: gradientOnly("do", rows * Q),
    dqkv: gradientOnly("dqkv", rows * (Q + 2 * KV)),
  };
}
export type PassBuffers = ReturnType<typeof passBuffers<GPUBuffer>>;

/** The head's buffers; those of the gradient are there with `keep`. */
export function headBuffers<B>(device: DeviceSizes, arena: BufferSource<B>, { rows, scored }: Capacity, keep: boolean) {
  const { D } = device.shape;
  const block = blockIds(device.plan, device.bindingBytes, scored);
  const gradientOnly = (name: string, words: number) => arena.storage(name, keep ? words : 1);
  return {
    inverseRms: arena.storage("final inverse rms", scored),
    targetLogits: arena.storage("target logits", scored),
    partials: arena.storage("head partials", scored * 4 * allShares(device.plan)),
    dz: gradientOnly("logit gradients", scored * block),
    dhScored: gradientOnly("dh scored", partsOf(block) * scored * D),
    /** Outer vectors of the adapters of a product. */
    outer: gradientOnly("outer", rows * Math.max(...Object.values(innerWidths(device.plan)))),
    block,
  };
}
export type HeadBuffers = ReturnType<typeof headBuffers<GPUBuffer>>;
