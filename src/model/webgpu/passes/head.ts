// The head's operations: log-probs, entropies and values of the scored tokens, and the way back to the last layer's output.
import {
  headInputGradientKernel,
  headPartialsKernel,
  headWeightGradientKernel,
  logitsGradientKernel,
  scoresKernel,
} from "../../../kernels/webgpu/head.ts";
import { tileFor } from "../../../kernels/webgpu/product/tile.ts";
import type { Operation } from "../../../kernels/webgpu/program.ts";
import { finalNormGradientKernel, normGradientGrid } from "../../../kernels/webgpu/update/normGradient.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import { allShares, headTile, partsOf, sharesOf } from "../plan/headPlan.ts";
import type { IdRows } from "../plan/modelPlan.ts";
import type { HeadBuffers, PassBuffers } from "../scoring/passBuffers.ts";
import { operation, overScored, planKernel, productGrid, weightGradientGrid } from "./operations.ts";
import { gradientPlaces, matrixGradientPlace, matrixPlace, normPlace, vectorPlaces } from "./places.ts";

const finalNorm = "model.norm.weight";
const valueHead = ["value_head.weight", "value_head.bias"] as const;

/** The value head's weights, with its bias behind them; nothing where there is none. */
function valuePlace(engine: Engine, slot: WeightSlot) {
  if (!engine.shape.valueHead) return { binding: null, at: 0 };
  const { binding, at } = vectorPlaces(engine, slot, valueHead);
  return { binding, at: at[valueHead[0]]! };
}

/** Log-probs, entropies and values of the scored tokens: two dispatches, or one more for each further buffer of ids. */
export async function planScores(engine: Engine, slot: WeightSlot, b: PassBuffers, head: HeadBuffers, x: GPUBuffer): Promise<Operation[]> {
  const { plan, shape } = engine;
  const tile = headTile(plan);
  const norm = normPlace(engine, slot, finalNorm);
  const value = valuePlace(engine, slot);
  const scores = await planKernel(engine, scoresKernel(shape, allShares(plan)), overScored);
  const { partials, targetLogits: target_logits, inverseRms: inverse_rms } = head;
  const shared = { x, asked: b.asked, vectors: norm.binding, inverse_rms, partials, target_logits };
  let share = 0;
  const parts: Operation[] = [];
  for (const ids of plan.head) {
    const shares = sharesOf(plan, ids);
    const { binding: base, at: matrix } = matrixPlace(engine, slot, ids.rows);
    const kernel = await planKernel(engine, headPartialsKernel(shape, ids.rows.form, tile), ({ scored }) => [
      shares,
      Math.ceil(scored / tile.rows),
      1,
    ]);
    parts.push(operation(kernel, { ...shared, base }, { matrix, norm: norm.at, id: ids.id, count: ids.count, share }));
    share += shares;
  }
  return [...parts, operation(scores, { ...shared, scores: b.scores, value_head: value.binding }, { norm: norm.at, value: value.at })];
}

/** From token gradients to the gradient of the normed rows, for the ids of one buffer: some of them after the other. */
async function idsGradient(engine: Engine, ids: IdRows, isFirst: boolean, b: PassBuffers, head: HeadBuffers, x: GPUBuffer) {
  const { shape, plan, parameters } = engine;
  const { D } = shape;
  const { dz, dhScored, block, inverseRms: inverse_rms } = head;
  const { form } = ids.rows;
  const parts = partsOf(block);
  const tiles = { logits: headTile(plan), input: tileFor(D), weight: weightGradientGrid(engine, Math.min(block, ids.count), D, "scored") };
  const norm = normPlace(engine, "policy", finalNorm);
  const value = valuePlace(engine, "policy");
  const own = matrixPlace(engine, "policy", ids.rows);
  const gradient = matrixGradientPlace(engine, ids.rows);
  const [toLogits, toInput, toWeight] = await Promise.all([
    engine.compile(logitsGradientKernel(shape, form, tiles.logits, block)),
    planKernel(engine, headInputGradientKernel(shape, form, tiles.input, block), productGrid(tiles.input, D, "scored", parts)),
    gradient && planKernel(engine, headWeightGradientKernel(shape, tiles.weight.tile, block), tiles.weight.grid),
  ]);
  const shared = { base: own.binding, x, inverse_rms, asked: b.asked, vectors: norm.binding, dz, token_gradients: b.tokenGradients };
  const operations: Operation[] = [];
  for (let first = 0; first < ids.count; first += block) {
    const count = Math.min(block, ids.count - first);
    const offsets = { matrix: own.at, norm: norm.at, count, first, stride: Math.floor(dhScored.size / 4 / parts), value: value.at };
    const is_first = isFirst && first === 0 ? 1 : 0;
    const logits = { kernel: toLogits, grid: productGrid(tiles.logits, count, "scored") };
    operations.push(
      operation(logits, { ...shared, scores: b.scores }, { ...offsets, id: ids.id + first }),
      operation(toInput, { ...shared, value_head: value.binding, dh: dhScored }, { ...offsets, is_first }),
    );
    if (toWeight && gradient) {
      const at = { gradient: gradient.at + first * D, stride: parameters.stride };
      operations.push(operation(toWeight, { ...shared, gradient: gradient.binding }, { ...offsets, ...at }));
    }
  }
  return operations;
}

/** From token gradients to dx at the last layer's output, with the gradients of what is trained of head, final norm and value head. */
export async function planHeadGradient(engine: Engine, b: PassBuffers, head: HeadBuffers, x: GPUBuffer): Promise<Operation[]> {
  const { plan, shape } = engine;
  const parts = partsOf(head.block);
  const perIds = await Promise.all(plan.head.map((ids, i) => idsGradient(engine, ids, i === 0, b, head, x)));
  const gradient = gradientPlaces(engine, shape.valueHead ? [finalNorm, ...valueHead] : [finalNorm]);
  const isTrained = plan.trained.has(finalNorm);
  const kernel = await planKernel(engine, finalNormGradientKernel(shape, parts, isTrained), ({ rows }) =>
    normGradientGrid(rows, shape.D, gradient !== null),
  );
  const norm = normPlace(engine, "policy", finalNorm);
  const buffers = {
    vectors: norm.binding,
    x,
    inverse_rms: head.inverseRms,
    dh: head.dhScored,
    row_scores: b.rowScores,
    dx: b.dx,
    token_gradients: b.tokenGradients,
    gradient: gradient?.binding,
  };
  const offsets = {
    norm: norm.at,
    stride: Math.floor(head.dhScored.size / 4 / parts),
    gradient: gradient?.at[finalNorm] ?? 0,
    valueGradient: gradient?.at[valueHead[0]] ?? 0,
  };
  return [...perIds.flat(), operation(kernel, buffers, offsets)];
}
