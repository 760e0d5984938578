// Scores and the way back beside a frozen base: no gradient of the base is made. A layer takes sixteen dispatches where
// all products have adapters: for each product the adapters' outer vectors, the gradient of its input and the gradients
// of its adapters; two norms and two of attention. Norms of heads take one more. None grows with the rank.

import { attentionGrid } from "../../../kernels/webgpu/attention/tiledAttention.ts";
import { adapterGradientGrid, adapterGradientKernel, adapterOutputKernel } from "../../../kernels/webgpu/frozen/adapters.ts";
import {
  finalNormGradientKernel,
  frozenScoresKernel,
  headInputGradientKernel,
  headPartialsKernel,
  logitsGradientKernel,
  normGradientKernel,
  valueGradientKernel,
} from "../../../kernels/webgpu/frozen/head.ts";
import {
  type FrozenMatrix,
  headNormGradientKernel,
  inputGradientKernel,
  swigluGradientKernel,
} from "../../../kernels/webgpu/frozen/projections.ts";
import { wideFrozen } from "../../../kernels/webgpu/frozen/tile.ts";
import { type Operation, rowGrid } from "../../../kernels/webgpu/program.ts";
import { keyValueGradientKernel, queryGradientKernel } from "../../../kernels/webgpu/update/attentionGradient.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../layerBuffers.ts";
import { inParallel, type PlannedKernel, planKernel } from "../passes.ts";
import type { PassBuffers } from "../whole/backward.ts";
import { allShares, type BasePlan, type PlannedProduct, type Product, partsOf, sharesOf } from "./basePlan.ts";
import type { HeadBuffers } from "./buffers.ts";
import { adapterOffsets, baseOf, frozenTileFor, headOffsets, normAt, overRows, overScored, planFinalNorm, productGrid } from "./forward.ts";

/** Rows of the batch that each part of an adapter's gradient has at least. */
const rowsPerPart = 64;

const valueOffset = ({ shape, parameters }: Engine): Record<string, number> =>
  shape.valueHead ? { value: parameters.offsetOf("value_head.weight") } : {};

/** Log-probs, entropies and values of the scored rows. */
export async function planFrozenScores(
  engine: Engine,
  slot: WeightSlot,
  b: PassBuffers,
  head: HeadBuffers,
  lastX: GPUBuffer,
): Promise<Operation[]> {
  const { plan, memory } = baseOf(engine);
  const finalNorm = await planFinalNorm(engine);
  const scores = await planKernel(engine, frozenScoresKernel(engine.shape, allShares(plan)), overScored);
  const { normed, partials, targetLogits } = head;
  let share = 0;
  const parts: Operation[] = [];
  for (const ids of plan.head) {
    const shares = sharesOf(ids);
    const kernel = await engine.compile(headPartialsKernel(engine.shape, ids.rows.form, wideFrozen));
    parts.push({
      kernel,
      grid: ({ scored }) => [shares, Math.ceil(scored / wideFrozen.rows), 1],
      buffers: { base: memory.bufferOf(ids.rows), normed, target_token: b.targetToken, target_logits: targetLogits, partials },
      offsets: { id: ids.id, count: ids.count, share },
    });
    share += shares;
  }
  return [
    finalNorm({ x: lastX, score_row: b.scoreRow, normed, inverse_rms: head.inverseRms }),
    ...parts,
    {
      ...scores,
      buffers: { partials, target_logits: targetLogits, scores: b.scores, normed, trained: engine.parameters.weights(slot) },
      offsets: valueOffset(engine),
    },
  ];
}

/** From token gradients to dx at the last layer's output: some ids after the other, then the final norm. */
async function headGradients(engine: Engine, b: PassBuffers, head: HeadBuffers, lastX: GPUBuffer): Promise<Operation[]> {
  const { plan, memory } = baseOf(engine);
  const { shape, parameters } = engine;
  const { normed, dz, dhScored, block } = head;
  const parts = partsOf(block);
  const stride = Math.floor(dhScored.size / 4 / parts);
  const operations: Operation[] = [];
  for (const { rows, id, count } of plan.head) {
    const tile = frozenTileFor(shape.D);
    const toLogits = await engine.compile(logitsGradientKernel(shape, rows.form, wideFrozen, block));
    const toInput = await engine.compile(headInputGradientKernel(shape, rows.form, tile, block));
    const base = memory.bufferOf(rows);
    for (let first = 0; first < count; first += block) {
      const here = Math.min(block, count - first);
      const is_first = operations.length === 0 ? 1 : 0;
      operations.push(
        {
          kernel: toLogits,
          grid: productGrid(wideFrozen, here, "scored"),
          buffers: { base, normed, target_token: b.targetToken, scores: b.scores, token_gradients: b.tokenGradients, dz },
          offsets: { id: id + first, count: here, first },
        },
        {
          kernel: toInput,
          grid: productGrid(tile, shape.D, "scored", parts),
          buffers: { base, dz, dh: dhScored },
          offsets: { count: here, first, is_first, stride },
        },
      );
    }
  }
  const trained = parameters.weights("policy");
  const finalNorm = await planKernel(engine, finalNormGradientKernel(shape, parts), overRows);
  const value = shape.valueHead
    ? [
        {
          ...(await planKernel(engine, valueGradientKernel(shape), () => [Math.ceil((shape.D + 1) / 64), 1, 1])),
          buffers: { normed, token_gradients: b.tokenGradients, gradient: parameters.gradient },
          offsets: valueOffset(engine),
        },
      ]
    : [];
  return [
    ...operations,
    {
      ...finalNorm,
      buffers: {
        ...{ vectors: memory.vectors, x: lastX, inverse_rms: head.inverseRms, dh: dhScored, row_scores: b.rowScores },
        ...{ dx: b.dx, token_gradients: b.tokenGradients, trained },
      },
      offsets: { norm: normAt(baseOf(engine), "model.norm.weight"), stride, ...valueOffset(engine) },
    },
    ...value,
  ];
}

/** What carries a gradient back through one product; null where there are no adapters beside it. */
function planProduct(engine: Engine, { matrix }: PlannedProduct, input: PlannedKernel, hasNorm: boolean) {
  const { copies } = engine.parameters;
  const hasAdapters = matrix.parts.length > 0;
  const [x, y] = adapterGradientGrid(matrix);
  const parts = (rows: number) => Math.max(1, Math.min(copies, Math.ceil(rows / rowsPerPart)));
  return inParallel({
    input: Promise.resolve(input),
    outer: hasAdapters ? planKernel(engine, adapterOutputKernel(matrix), overRows) : Promise.resolve(null),
    adapters: hasAdapters
      ? planKernel(engine, adapterGradientKernel(matrix, hasNorm), ({ rows }) => [x, y, parts(rows)])
      : Promise.resolve(null),
  });
}

async function planLayer(engine: Engine, layer: BasePlan["layers"][number]) {
  const { shape } = engine;
  const { headParts } = baseOf(engine).plan;
  const toInput = ({ matrix }: PlannedProduct, make = inputGradientKernel) => {
    const tile = frozenTileFor(matrix.inputs);
    return planKernel(engine, make(matrix, tile), productGrid(tile, matrix.inputs));
  };
  const swiglu = (matrix: FrozenMatrix, tile: Parameters<typeof inputGradientKernel>[1]) => swigluGradientKernel(shape, matrix, tile);
  return inParallel({
    down: planProduct(engine, layer.down, await toInput(layer.down, swiglu), false),
    gateUp: planProduct(engine, layer.gateUp, await toInput(layer.gateUp), true),
    output: planProduct(engine, layer.output, await toInput(layer.output), false),
    qkv: planProduct(engine, layer.qkv, await toInput(layer.qkv), true),
    norm: planKernel(engine, normGradientKernel(shape), overRows),
    query: planKernel(engine, queryGradientKernel(shape), ({ rows }) => attentionGrid(rows, shape.heads)),
    keyValue: planKernel(engine, keyValueGradientKernel(shape), ({ rows }) => attentionGrid(rows, shape.kvHeads)),
    headNorm: headParts.headNorm
      ? planKernel(engine, headNormGradientKernel(shape, headParts), ({ rows }) => rowGrid(rows, shape.heads + shape.kvHeads))
      : Promise.resolve(null),
  });
}
type LayerKernels = Awaited<ReturnType<typeof planLayer>>;

/** From dx at a layer's output to dx at its input: the feed-forward half, then the attention half. Nothing is trained below the first. */
function layerOperations(
  engine: Engine,
  kernels: LayerKernels,
  layer: number,
  l: LayerBuffers,
  b: PassBuffers,
  { outer }: HeadBuffers,
): Operation[] {
  const base = baseOf(engine);
  const { memory, plan } = base;
  const planned = plan.layers[layer]!;
  const { gates, frozen: own } = l;
  if (!gates || !own) throw new Error("internal: a backward pass needs the gates and the adapters' vectors kept");
  const { parameters } = engine;
  const trained = parameters.weights("policy");
  const { vectors } = memory;
  const norms = {
    1: normAt(base, `model.layers.${layer}.input_layernorm.weight`),
    2: normAt(base, `model.layers.${layer}.post_attention_layernorm.weight`),
  };
  const through = (
    name: Product,
    { input, outer: toOuter, adapters }: LayerKernels[Product],
    dy: GPUBuffer,
    into: Record<string, GPUBuffer>,
    { x, inverse_rms = b.rope, norm = 0 }: { readonly x: GPUBuffer; readonly inverse_rms?: GPUBuffer; readonly norm?: number },
  ): Operation[] => {
    const offsets = adapterOffsets(planned[name]);
    const operations: (Operation | null)[] = [
      toOuter && { ...toOuter, buffers: { dy, trained, outer }, offsets },
      { ...input, buffers: { base: memory.bufferOf(planned[name].rows), dy, inner: outer, trained, ...into }, offsets },
      adapters && {
        ...adapters,
        buffers: { x, dy, inner: own.inner[name], outer, vectors, inverse_rms, gradient: parameters.gradient },
        offsets: { ...offsets, stride: parameters.stride, norm },
      },
    ];
    return operations.filter((operation) => operation !== null);
  };
  const normed = (x: GPUBuffer, inverse_rms: GPUBuffer, norm: number): Operation => ({
    ...kernels.norm,
    buffers: { vectors, x, inverse_rms, dy: b.dh, dx: b.dx },
    offsets: { norm },
  });
  const attention = { q: l.q, kv: l.kv, row_info: b.rowInfo, rope: b.rope, d_o: b.dO, stats: l.stats, dqkv: b.dqkv };
  const toQkv = through("qkv", kernels.qkv, b.dqkv, { dx: b.dh }, { x: l.x, inverse_rms: l.inverseRms1, norm: norms[1] });
  return [
    ...through("down", kernels.down, b.dx, { gates, act: l.act }, { x: l.act }),
    ...through("gateUp", kernels.gateUp, gates, { dx: b.dh }, { x: l.attended, inverse_rms: l.inverseRms2, norm: norms[2] }),
    normed(l.attended, l.inverseRms2, norms[2]),
    ...through("output", kernels.output, b.dx, { dx: b.dO }, { x: l.o }),
    { ...kernels.query, buffers: { ...attention, o: l.o }, offsets: {} },
    { ...kernels.keyValue, buffers: attention, offsets: {} },
    ...(kernels.headNorm
      ? [{ ...kernels.headNorm, buffers: { raw: own.raw, vectors, dqkv: b.dqkv }, offsets: headOffsets(base, layer) }]
      : []),
    ...(layer > 0 ? [...toQkv, normed(l.x, l.inverseRms1, norms[1])] : toQkv.filter(({ kernel }) => kernel !== kernels.qkv.input.kernel)),
  ];
}

/** The whole way back; `layers` as the forward pass left them. */
export async function planFrozenBackward(
  engine: Engine,
  layers: readonly LayerBuffers[],
  b: PassBuffers,
  head: HeadBuffers,
): Promise<Operation[]> {
  const last = layers.at(-1);
  if (!last) throw new Error("internal: a model needs a layer");
  const kernels = await Promise.all(baseOf(engine).plan.layers.map((layer) => planLayer(engine, layer)));
  const perLayer = layers.map((l, i) => layerOperations(engine, kernels[i]!, i, l, b, head));
  return [...(await headGradients(engine, b, head, last.next)), ...perLayer.reverse().flat()];
}
