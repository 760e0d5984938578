// How the head works through a vocabulary: in shares while it scores, in blocks of ids and parts of sums on the way back.
import type { ModelShape } from "../../../kernels/modelSizes.ts";
import { type Tile, tileFor } from "../../../kernels/webgpu/product/tile.ts";
import type { IdRows, ModelPlan } from "./modelPlan.ts";

/** Most workgroups that share the ids of a row while it is scored. */
const MOST_SHARES = 64;
/** Ids of a block that one part of a row's gradient takes at least. */
const IDS_PER_PART = 1024;
const MOST_PARTS = 8;
/** Words of the logits that a gradient makes again at once, where the device allows. */
const GRADIENT_WORDS = 2 ** 23;

const headIds = ({ head }: ModelPlan): number => head.reduce((sum, { count }) => sum + count, 0);

/** The tile that all of a head's ids go through. */
export const headTile = (plan: ModelPlan): Tile => tileFor(headIds(plan));

/** Shares of the ids of one buffer. */
export const sharesOf = (plan: ModelPlan, { count }: IdRows): number => Math.min(MOST_SHARES, Math.ceil(count / headTile(plan).columns));

/** Shares of all ids: partial results of each scored token. */
export const allShares = (plan: ModelPlan): number => plan.head.reduce((sum, ids) => sum + sharesOf(plan, ids), 0);

/** In how many parts the gradient of the head's input is summed for blocks of so many ids. */
export const partsOf = (block: number): number => Math.min(MOST_PARTS, Math.ceil(block / IDS_PER_PART));

/** Words that each scored token takes in the largest buffers of a head. */
export function wordsPerScored({ D, V }: ModelShape, plan: ModelPlan): number {
  return Math.max(partsOf(V) * D, 4 * allShares(plan), headTile(plan).columns);
}

/** Ids whose logits a gradient makes at once for so many scored tokens; whole tiles. */
export function blockIds(plan: ModelPlan, bindingBytes: number, scored: number): number {
  const tile = headTile(plan).columns;
  const most = Math.floor(Math.min(GRADIENT_WORDS, bindingBytes / 4) / Math.max(1, scored) / tile) * tile;
  return Math.max(tile, Math.min(most, Math.ceil(headIds(plan) / tile) * tile));
}
