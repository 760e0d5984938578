// The forward pass as operations. A layer takes five dispatches: four products with their norms, and attention. Adapters
// are terms of their product's sums and take one dispatch before it, for their inner vectors; biases of queries, keys and
// values or norms of heads take one after it. None grows with the rank.

import { embedKernel } from "../../../kernels/webgpu/embedding.ts";
import { logitsKernel } from "../../../kernels/webgpu/head.ts";
import { headVectorsKernel } from "../../../kernels/webgpu/headVectors.ts";
import type { Kernel } from "../../../kernels/webgpu/kernel.ts";
import { adapterInputKernel } from "../../../kernels/webgpu/product/adapters.ts";
import { gateUpKernel, type Matrix, qkvKernel, rawQkvKernel, residualKernel } from "../../../kernels/webgpu/product/projections.ts";
import { lowTile, type Tile, tileFor } from "../../../kernels/webgpu/product/tile.ts";
import { type Operation, rowGrid } from "../../../kernels/webgpu/program.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../plan/layerBuffers.ts";
import { type IdRows, isSplit, type ModelPlan, type PlannedProduct, type Product } from "../plan/modelPlan.ts";
import {
  type ForwardPass,
  inParallel,
  operation,
  overRows,
  overScored,
  type PassKind,
  type PlannedKernel,
  planAttention,
  planKernel,
  productGrid,
} from "./operations.ts";
import { adapterOffsets, headVectorPlaces, matrixPlace, normPlace } from "./places.ts";

/** What adapters need of a product's input: their inner vectors, and its norm where it has one; null where there are none. */
async function planInput(engine: Engine, { matrix, norm }: PlannedProduct, name: Product): Promise<PlannedKernel | null> {
  const { inputs: width, parts } = matrix;
  if (parts.length === 0) return null;
  return planKernel(engine, adapterInputKernel({ label: `${name} input`, width, parts, eps: norm && engine.shape.eps }), overRows);
}

/** Compiles the kernels of one layer; those of layers alike are compiled once. */
function planLayer(engine: Engine, layer: ModelPlan["layers"][number], { decoding, keep }: PassKind) {
  const { shape, plan } = engine;
  const product = async (name: Product, make: (matrix: Matrix, tile: Tile) => Kernel) => {
    const { matrix } = layer[name];
    const tile = decoding ? lowTile : tileFor(matrix.outputs);
    const [input, own] = await Promise.all([
      planInput(engine, layer[name], name),
      planKernel(engine, make(matrix, tile), productGrid(tile, matrix.outputs)),
    ]);
    return { input, product: own };
  };
  const split = isSplit(plan);
  const heads = shape.heads + 2 * shape.kvHeads;
  return inParallel({
    qkv: product("qkv", (matrix, tile) => (split ? rawQkvKernel : qkvKernel)(shape, matrix, tile)),
    headVectors: split
      ? planKernel(engine, headVectorsKernel(shape, plan.headParts), ({ rows }) => rowGrid(rows, heads))
      : Promise.resolve(null),
    attention: planAttention(engine, decoding),
    output: product("output", residualKernel),
    gateUp: product("gateUp", (matrix, tile) => gateUpKernel(shape, matrix, tile, keep)),
    down: product("down", residualKernel),
  });
}
type LayerKernels = Awaited<ReturnType<typeof planLayer>>;

function layerOperations(
  engine: Engine,
  kernels: LayerKernels,
  slot: WeightSlot,
  layer: number,
  { rowInfo, rope }: { readonly rowInfo: GPUBuffer; readonly rope: GPUBuffer },
  b: LayerBuffers,
): Operation[] {
  const trained = engine.parameters.weights(slot);
  const through = (
    name: Product,
    x: GPUBuffer,
    own: Readonly<Record<string, GPUBuffer | null>>,
    inverse_rms: GPUBuffer | null = null,
  ): Operation[] => {
    const planned = engine.plan.layers[layer]![name];
    const { binding: base, at: matrix } = matrixPlace(engine, slot, planned.rows);
    const norm = planned.norm === null ? null : normPlace(engine, slot, planned.norm);
    const { input, product } = kernels[name];
    const buffers = { ...own, base, trained, x, inverse_rms, inner: b.inner[name], normed: b.normed, vectors: norm?.binding };
    const offsets = { ...adapterOffsets(planned), matrix, norm: norm?.at ?? 0 };
    return [...(input ? [operation(input, buffers, offsets)] : []), operation(product, buffers, offsets)];
  };
  const rows = { row_info: rowInfo, rope, q: b.q, kv: b.kv };
  const heads: Operation[] = [];
  if (kernels.headVectors) {
    const vectors = headVectorPlaces(engine, slot, layer);
    heads.push(operation(kernels.headVectors, { ...rows, raw: b.raw, vectors: vectors.binding }, vectors.offsets));
  }
  return [
    ...through("qkv", b.x, { ...rows, raw: b.raw }, b.inverseRms1),
    ...heads,
    operation(kernels.attention, { ...rows, o: b.o, stats: b.stats }),
    ...through("output", b.o, { a: b.o, residual: b.x, y: b.attended }),
    ...through("gateUp", b.attended, { act: b.act, gates: b.gates }, b.inverseRms2),
    ...through("down", b.act, { a: b.act, residual: b.attended, y: b.next }),
  ];
}

/** x of the rows' tokens, as far as their ids lie here. */
async function planEmbedding(engine: Engine, slot: WeightSlot, { rows, id, count }: IdRows, decoding: boolean) {
  // Where rows decode, their number is that of the scored ones: a pass over prompts has more rows than sequences.
  const over = decoding ? "scored" : "rows";
  const kernel = await planKernel(engine, embedKernel(engine.shape, rows.form, over), decoding ? overScored : overRows);
  const { binding: base, at: matrix } = matrixPlace(engine, slot, rows);
  return (rowInfo: GPUBuffer, x: GPUBuffer) => operation(kernel, { base, row_info: rowInfo, x }, { matrix, id, count });
}

/** Compiles the forward pass; in low tiles where each row is a sequence that decodes. */
export async function planForward(engine: Engine, slot: WeightSlot, kind: PassKind): Promise<ForwardPass> {
  const { plan, shape } = engine;
  const layers = await Promise.all(plan.layers.map((layer) => planLayer(engine, layer, kind)));
  const embeddings = await Promise.all(plan.embedding.map((ids) => planEmbedding(engine, slot, ids, kind.decoding)));
  const logits = await Promise.all(
    plan.head.map(async ({ rows, count }) =>
      planKernel(engine, logitsKernel(shape, rows.form, lowTile), productGrid(lowTile, count, "scored")),
    ),
  );
  return {
    embed: (rowInfo, x) => embeddings.map((embed) => embed(rowInfo, x)),
    layers: (given, buffers) => buffers.flatMap((b, layer) => layerOperations(engine, layers[layer]!, slot, layer, given, b)),
    logits: ({ x, scoreRow: score_row, logits: into, inverseRms: inverse_rms }) => {
      const norm = normPlace(engine, slot, "model.norm.weight");
      return plan.head.map(({ rows, id, count }, i) => {
        const { binding: base, at: matrix } = matrixPlace(engine, slot, rows);
        const buffers = { base, x, score_row, vectors: norm.binding, inverse_rms, logits: into };
        return operation(logits[i]!, buffers, { matrix, id, count, norm: norm.at });
      });
    },
  };
}
