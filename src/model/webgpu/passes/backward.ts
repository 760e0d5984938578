// Scores and the way back as operations. Every matrix carries the gradient through to its input; what is trained gets a
// gradient of its own, added to what is there: matrices, norms, biases, adapters. A layer whose weights are all trained takes
// twelve dispatches back: two for each product, two norms and two of attention. Adapters of a product take two in the place
// of its matrix's gradient, for their outer vectors and their gradients, whatever their rank.

import { keyValueGradientKernel, queryGradientKernel } from "../../../kernels/webgpu/attention/attentionGradient.ts";
import { attentionGrid } from "../../../kernels/webgpu/attention/tiledAttention.ts";
import { embeddingGradientKernel } from "../../../kernels/webgpu/embedding.ts";
import { columnSumsKernel, headNormGradientKernel } from "../../../kernels/webgpu/headVectors.ts";
import { adapterGradientGrid, adapterGradientKernel, adapterOutputKernel } from "../../../kernels/webgpu/product/adapters.ts";
import {
  inputGradientKernel,
  type Matrix,
  swigluGradientKernel,
  weightGradientKernel,
} from "../../../kernels/webgpu/product/projections.ts";
import { type Tile, tileFor } from "../../../kernels/webgpu/product/tile.ts";
import { type Operation, rowGrid, type Sizes } from "../../../kernels/webgpu/program.ts";
import { normGradientGrid, normGradientKernel } from "../../../kernels/webgpu/update/normGradient.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../plan/layerBuffers.ts";
import type { PlannedProduct, Product } from "../plan/modelPlan.ts";
import type { HeadBuffers, PassBuffers } from "../scoring/passBuffers.ts";
import { planHeadGradient } from "./head.ts";
import { inParallel, operation, overRows, type PlannedKernel, planKernel, productGrid, weightGradientGrid } from "./operations.ts";
import { adapterOffsets, gradientPlaces, headVectorPlaces, matrixGradientPlace, matrixPlace, normPlace } from "./places.ts";

/** Rows of the batch that each part of an adapter's gradient has at least. */
const rowsPerPart = 64;

/** What makes the gradient of a product's own matrix; null where that is frozen. */
function planMatrixGradient(engine: Engine, { matrix, norm, rows }: PlannedProduct): Promise<PlannedKernel> | Promise<null> {
  if (rows.stored) return Promise.resolve(null);
  const { tile, grid } = weightGradientGrid(engine, matrix.outputs, matrix.inputs);
  return planKernel(engine, weightGradientKernel(matrix, norm !== null, tile), grid);
}

/** What carries a gradient back through one product, and makes those of what is trained of it. */
function planProduct(
  engine: Engine,
  planned: PlannedProduct,
  make: (matrix: Matrix, tile: Tile) => ReturnType<typeof inputGradientKernel>,
) {
  const { matrix, norm } = planned;
  const tile = tileFor(matrix.inputs);
  const hasAdapters = matrix.parts.length > 0;
  const [x, y] = adapterGradientGrid(matrix);
  const parts = (rows: number) => Math.max(1, Math.min(engine.parameters.copies, Math.ceil(rows / rowsPerPart)));
  return inParallel({
    outer: hasAdapters ? planKernel(engine, adapterOutputKernel(matrix), overRows) : Promise.resolve(null),
    input: planKernel(engine, make(matrix, tile), productGrid(tile, matrix.inputs)),
    adapters: hasAdapters
      ? planKernel(engine, adapterGradientKernel(matrix, norm !== null), ({ rows }) => [x, y, parts(rows)])
      : Promise.resolve(null),
    matrix: planMatrixGradient(engine, planned),
  });
}

/** Compiles the kernels of one layer. */
function planLayer(engine: Engine, layer: number) {
  const { shape, plan } = engine;
  const { qkv, output, gateUp, down } = plan.layers[layer]!;
  const { headParts } = plan;
  const isTrained = plan.trained.has(qkv.norm!);
  const heads = ({ rows }: Sizes) => rowGrid(rows, shape.heads + shape.kvHeads);
  return inParallel({
    down: planProduct(engine, down, (matrix, tile) => swigluGradientKernel(shape, matrix, tile)),
    gateUp: planProduct(engine, gateUp, inputGradientKernel),
    output: planProduct(engine, output, inputGradientKernel),
    qkv: planProduct(engine, qkv, inputGradientKernel),
    norm: planKernel(engine, normGradientKernel(shape, isTrained), ({ rows }) => normGradientGrid(rows, shape.D, isTrained)),
    query: planKernel(engine, queryGradientKernel(shape), ({ rows }) => attentionGrid(rows, shape.heads)),
    keyValue: planKernel(engine, keyValueGradientKernel(shape), ({ rows }) => attentionGrid(rows, shape.kvHeads)),
    headNorm: headParts.headNorm ? planKernel(engine, headNormGradientKernel(shape, headParts, isTrained), heads) : Promise.resolve(null),
    columnSums: engine.compile(columnSumsKernel(shape)),
  });
}
type LayerKernels = Awaited<ReturnType<typeof planLayer>>;

/** Back through what lies between the product of queries, keys and values and RoPE, with the gradients of what is trained of it. */
function headVectorOperations(engine: Engine, kernels: LayerKernels, layer: number, raw: GPUBuffer, dqkv: GPUBuffer): Operation[] {
  const { Q, KV, heads, kvHeads, headSize } = engine.shape;
  const { binding, offsets, gradient } = headVectorPlaces(engine, "policy", layer);
  const sums = (terms: GPUBuffer, name: string, first: number, span: number, count: number): Operation[] => {
    const at = gradient?.offsets[name];
    if (!gradient || at === undefined) return [];
    const kernel = { kernel: kernels.columnSums, grid: (): [number, number, number] => [Math.ceil(span / 16), 1, 1] };
    return [operation(kernel, { terms, gradient: gradient.binding }, { gradient: at, first, span, heads: count })];
  };
  return [
    ...(kernels.headNorm ? [operation(kernels.headNorm, { raw, vectors: binding, dqkv }, offsets)] : []),
    ...sums(raw, "query_norm", 0, headSize, heads),
    ...sums(raw, "key_norm", Q, headSize, kvHeads),
    ...sums(dqkv, "bias", 0, Q + 2 * KV, 1),
  ];
}

/** From dx at a layer's output to dx at its input: the feed-forward half, then the attention half. */
function layerOperations(
  engine: Engine,
  kernels: LayerKernels,
  layer: number,
  l: LayerBuffers,
  b: PassBuffers,
  { outer }: HeadBuffers,
): Operation[] {
  const { parameters, plan } = engine;
  const planned = plan.layers[layer]!;
  const { gates } = l;
  if (!gates) throw new Error("internal: a backward pass needs the gates kept");
  const trained = parameters.weights("policy");
  const through = (
    name: Product,
    dy: GPUBuffer,
    into: Readonly<Record<string, GPUBuffer>>,
    x: GPUBuffer,
    inverse_rms: GPUBuffer | null = null,
    needsInput = true,
  ): Operation[] => {
    const { rows, norm } = planned[name];
    const { outer: toOuter, input, adapters, matrix } = kernels[name];
    const own = matrixPlace(engine, "policy", rows);
    const gradient = matrixGradientPlace(engine, rows);
    const place = norm === null ? null : normPlace(engine, "policy", norm);
    const shared = { dy, trained, inverse_rms, vectors: place?.binding };
    const offsets = { ...adapterOffsets(planned[name]), stride: parameters.stride, norm: place?.at ?? 0 };
    return [
      ...(toOuter ? [operation(toOuter, { ...shared, outer }, offsets)] : []),
      ...(needsInput ? [operation(input, { ...shared, ...into, base: own.binding, inner: outer }, { ...offsets, matrix: own.at })] : []),
      ...(adapters ? [operation(adapters, { ...shared, x, inner: l.inner[name], outer, gradient: parameters.gradient }, offsets)] : []),
      ...(matrix && gradient
        ? [operation(matrix, { ...shared, x, gradient: gradient.binding }, { ...offsets, gradient: gradient.at })]
        : []),
    ];
  };
  const throughNorm = (name: Product, x: GPUBuffer, inverse_rms: GPUBuffer): Operation => {
    const norm = planned[name].norm!;
    const { binding: vectors, at } = normPlace(engine, "policy", norm);
    const gradient = gradientPlaces(engine, [norm]);
    const buffers = { vectors, x, inverse_rms, dy: b.dh, dx: b.dx, gradient: gradient?.binding };
    return operation(kernels.norm, buffers, { norm: at, gradient: gradient?.at[norm] ?? 0 });
  };
  const attention = { q: l.q, kv: l.kv, row_info: b.rowInfo, rope: b.rope, d_o: b.dO, stats: l.stats, dqkv: b.dqkv };
  // Below the first layer only a trained embedding needs a gradient, and only a trained norm needs that of what it made.
  const goesOn = layer > 0 || [planned.qkv.norm!, "model.embed_tokens.weight"].some((name) => plan.trained.has(name));
  return [
    ...through("down", b.dx, { gates, act: l.act }, l.act),
    ...through("gateUp", gates, { dx: b.dh }, l.attended, l.inverseRms2),
    throughNorm("gateUp", l.attended, l.inverseRms2),
    ...through("output", b.dx, { dx: b.dO }, l.o),
    operation(kernels.query, { ...attention, o: l.o }),
    operation(kernels.keyValue, attention),
    ...(l.raw ? headVectorOperations(engine, kernels, layer, l.raw, b.dqkv) : []),
    ...through("qkv", b.dqkv, { dx: b.dh }, l.x, l.inverseRms1, goesOn),
    ...(goesOn ? [throughNorm("qkv", l.x, l.inverseRms1)] : []),
  ];
}

/** The gradient of the embedding where it is trained, of what came through the layers. */
async function planEmbeddingGradient(engine: Engine, { dx, tokenRows: token_rows }: PassBuffers): Promise<Operation[]> {
  const kernel = await engine.compile(embeddingGradientKernel(engine.shape));
  return engine.plan.embedding.flatMap(({ rows, id, count }) => {
    const gradient = matrixGradientPlace(engine, rows);
    if (!gradient) return [];
    return [
      operation(
        { kernel, grid: () => rowGrid(count) },
        { dx, token_rows, gradient: gradient.binding },
        { gradient: gradient.at, id, count },
      ),
    ];
  });
}

/** The whole way back; `layers` as the forward pass left them. */
export async function planBackward(
  engine: Engine,
  layers: readonly LayerBuffers[],
  b: PassBuffers,
  head: HeadBuffers,
): Promise<Operation[]> {
  const last = layers.at(-1);
  if (!last) throw new Error("internal: a model needs a layer");
  const kernels = await Promise.all(layers.map((_, layer) => planLayer(engine, layer)));
  const perLayer = layers.map((l, i) => layerOperations(engine, kernels[i]!, i, l, b, head));
  return [
    ...(await planHeadGradient(engine, b, head, last.next)),
    ...perLayer.reverse().flat(),
    ...(await planEmbeddingGradient(engine, b)),
  ];
}
