// What plans have room for, and how much that may be: the sizes that follow from a model and from what a device can
// bind and dispatch.
import { rowInfoWords } from "../../../kernels/webgpu/kernel.ts";
import { lowTile } from "../../../kernels/webgpu/product/tile.ts";
import type { Engine } from "../engine.ts";
import { wordsPerScored } from "./headPlan.ts";

/** What the sizes of plans follow from. */
export type DeviceSizes = Pick<Engine, "shape" | "config" | "bindingBytes" | "workgroups" | "plan">;

/** What a plan has room for. */
export interface Capacity {
  readonly rows: number;
  readonly scored: number;
  readonly positions: number;
}

/** Rows scored at once when nothing has to be kept. */
export const SCORING_ROWS = 8192;

/** The RoPE table is made this long at first, if the model allows. */
const USUAL_POSITIONS = 4096;

/** Positions of a plan's RoPE table. */
export function roomyPositions({ config }: DeviceSizes, needed: number): number {
  return Math.max(needed, Math.min(config.maxPositions, USUAL_POSITIONS));
}

/** Room to grow into, so that plans are not made anew for every slightly longer batch. */
const roomy = (needed: number, had: number): number => Math.max(had, Math.ceil((needed * 1.25) / 64) * 64);

/** What a new plan holds, after one that had less than is needed. */
export function scoringCapacity(device: DeviceSizes, needed: Capacity, had: Capacity = { rows: 0, scored: 0, positions: 0 }): Capacity {
  const most = mostPerMicroBatch(device);
  return {
    rows: Math.min(most.rows, roomy(needed.rows, had.rows)),
    scored: Math.min(most.scored, roomy(needed.scored, had.scored)),
    positions: Math.max(had.positions, roomyPositions(device, needed.positions)),
  };
}

/**
 * Largest rows and scored tokens whose buffers this device can bind and whose products it can dispatch, and sequences
 * that can be sampled at once.
 */
export function mostPerMicroBatch(device: DeviceSizes): { rows: number; scored: number; sequences: number } {
  const { D, F, Q, KV, V, heads } = device.shape;
  const words = device.bindingBytes / 4;
  const dispatched = device.workgroups * lowTile.rows;
  const within = (perRow: number) => Math.min(dispatched, Math.floor(words / perRow));
  return {
    rows: within(Math.max(2 * F, Q + 2 * KV, D, 2 * heads, 2 * rowInfoWords)),
    // No row's logits are held while scoring.
    scored: within(wordsPerScored(device.shape, device.plan)),
    sequences: within(Math.max(V, D, 4)),
  };
}

/** Whether a plan has room for a micro-batch. */
export function fits({ capacity }: { readonly capacity: Capacity }, { rows, scored, positions }: Capacity): boolean {
  return capacity.rows >= rows && capacity.scored >= scored && capacity.positions >= positions;
}
