// The forward pass beside a frozen base as operations. A layer takes nine dispatches where all products have adapters:
// each product is one, adapters in the same sums, with their inner vectors (and the norm) made in one before it; and
// attention. Biases of queries, keys and values or norms of heads take one more. None grows with the rank.
import { adapterInputKernel } from "../../../kernels/webgpu/frozen/adapters.ts";
import { frozenEmbedKernel, logitsKernel } from "../../../kernels/webgpu/frozen/head.ts";
import {
  type FrozenMatrix,
  gateUpKernel,
  headVectorsKernel,
  qkvKernel,
  rawQkvKernel,
  residualKernel,
} from "../../../kernels/webgpu/frozen/projections.ts";
import { type FrozenTile, lowFrozen, wideFrozen } from "../../../kernels/webgpu/frozen/tile.ts";
import { gemmGrid } from "../../../kernels/webgpu/gemm.ts";
import type { Kernel } from "../../../kernels/webgpu/kernel.ts";
import { type Grid, type Operation, rowGrid, type Sizes } from "../../../kernels/webgpu/program.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../layerBuffers.ts";
import { type ForwardPass, inParallel, type PassKind, type PlannedKernel, planAttention, planKernel } from "../passes.ts";
import type { BaseMemory } from "./baseMemory.ts";
import type { BasePlan, IdRows, PlannedProduct, Product } from "./basePlan.ts";

/** The frozen base of an engine that has one. */
export function baseOf({ base, memory }: Pick<Engine, "base" | "memory">): { readonly plan: BasePlan; readonly memory: BaseMemory } {
  if (!base || !memory) throw new Error("internal: this engine has no frozen base");
  return { plan: base, memory };
}

/** A tile that fills the device: wide where the result has columns enough for it. */
export const frozenTileFor = (columns: number): FrozenTile => (columns >= 256 ? wideFrozen : lowFrozen);

/** Grid of a product with a row for each row of the batch, or for each scored token. */
export const productGrid =
  (tile: FrozenTile, columns: number, over: keyof Sizes = "rows", parts = 1) =>
  (sizes: Sizes): Grid => [...gemmGrid(tile, sizes[over], columns), parts];

export const overRows = ({ rows }: Sizes): Grid => rowGrid(rows);
export const overScored = ({ scored }: Sizes): Grid => rowGrid(scored);

/** Offsets of a product's adapters as kernels name them. */
export const adapterOffsets = ({ adapters }: PlannedProduct): Record<string, number> =>
  Object.fromEntries(adapters.map((offset, i) => [`adapter${i}`, offset]));

/** The input of a product: a norm, if it has one, and the adapters' inner vectors; null where there is neither. */
async function planInput(engine: Engine, { matrix }: PlannedProduct, name: Product, hasNorm: boolean): Promise<PlannedKernel | null> {
  const { inputs: width, parts } = matrix;
  if (!hasNorm && parts.length === 0) return null;
  const kernel = adapterInputKernel({ label: `${name} input`, width, parts, eps: hasNorm ? engine.shape.eps : null });
  return planKernel(engine, kernel, overRows);
}

/** Compiles the kernels of one layer; those of layers alike are compiled once. */
function planLayer(engine: Engine, layer: BasePlan["layers"][number], { decoding, keep }: PassKind) {
  const { shape } = engine;
  const { plan } = baseOf(engine);
  const tileOf = decoding ? () => lowFrozen : frozenTileFor;
  const product = (name: Product, make: (matrix: FrozenMatrix, tile: FrozenTile) => Kernel) => {
    const { matrix } = layer[name];
    const tile = tileOf(matrix.outputs);
    return planKernel(engine, make(matrix, tile), productGrid(tile, matrix.outputs));
  };
  const isSplit = plan.headParts.qkvBias || plan.headParts.headNorm;
  const heads = shape.heads + 2 * shape.kvHeads;
  return inParallel({
    qkvInput: planInput(engine, layer.qkv, "qkv", true),
    qkv: product("qkv", (matrix, tile) => (isSplit ? rawQkvKernel(matrix, tile) : qkvKernel(shape, matrix, tile))),
    headVectors: isSplit
      ? planKernel(engine, headVectorsKernel(shape, plan.headParts), ({ rows }) => rowGrid(rows, heads))
      : Promise.resolve(null),
    attention: planAttention(engine, decoding),
    outputInput: planInput(engine, layer.output, "output", false),
    output: product("output", residualKernel),
    gateUpInput: planInput(engine, layer.gateUp, "gateUp", true),
    gateUp: product("gateUp", (matrix, tile) => gateUpKernel(shape, matrix, tile, keep)),
    downInput: planInput(engine, layer.down, "down", false),
    down: product("down", residualKernel),
  });
}
type LayerKernels = Awaited<ReturnType<typeof planLayer>>;

/** Offsets of a layer's vectors as kernels name them; those that the model lacks are left out. */
export function headOffsets({ plan }: { readonly plan: BasePlan }, layer: number): Record<string, number> {
  const at = (name: string) => plan.vectors.get(`model.layers.${layer}.self_attn.${name}`) ?? 0;
  return { bias: at("q_proj.bias"), query_norm: at("q_norm.weight"), key_norm: at("k_norm.weight") };
}

/** First word of a norm's weights among the base's vectors. */
export function normAt({ plan }: { readonly plan: BasePlan }, name: string): number {
  const at = plan.vectors.get(name);
  if (at === undefined) throw new Error(`internal: the base has no vector ${name}`);
  return at;
}

/** The operations of one layer. */
function layerOperations(
  engine: Engine,
  kernels: LayerKernels,
  slot: WeightSlot,
  layer: number,
  { rowInfo, rope }: { readonly rowInfo: GPUBuffer; readonly rope: GPUBuffer },
  b: LayerBuffers,
): (Operation | null)[] {
  const base = baseOf(engine);
  const { memory, plan } = base;
  const planned = plan.layers[layer]!;
  const own = b.frozen;
  if (!own) throw new Error("internal: these buffers were planned without a frozen base");
  const trained = engine.parameters.weights(slot);
  const { vectors } = memory;
  const input = (name: Product, kernel: PlannedKernel | null, x: GPUBuffer, norm: number, inverse_rms: GPUBuffer): Operation | null =>
    kernel && {
      ...kernel,
      buffers: { x, vectors, trained, inner: own.inner[name], normed: own.normed, inverse_rms },
      offsets: { ...adapterOffsets(planned[name]), norm },
    };
  const product = (name: Product, kernel: PlannedKernel, buffers: Record<string, GPUBuffer>): Operation => ({
    ...kernel,
    buffers: { base: memory.bufferOf(planned[name].rows), inner: own.inner[name], trained, ...buffers },
    offsets: adapterOffsets(planned[name]),
  });
  const at = `model.layers.${layer}`;
  const rows = { row_info: rowInfo, rope };
  const heads = kernels.headVectors && {
    ...kernels.headVectors,
    buffers: { raw: own.raw, vectors, ...rows, q: b.q, kv: b.kv },
    offsets: headOffsets(base, layer),
  };
  const unused = b.inverseRms1;
  return [
    input("qkv", kernels.qkvInput, b.x, normAt(base, `${at}.input_layernorm.weight`), b.inverseRms1),
    product("qkv", kernels.qkv, heads ? { normed: own.normed, raw: own.raw } : { normed: own.normed, ...rows, q: b.q, kv: b.kv }),
    heads,
    { ...kernels.attention, buffers: { q: b.q, kv: b.kv, row_info: rowInfo, o: b.o, stats: b.stats }, offsets: {} },
    input("output", kernels.outputInput, b.o, 0, unused),
    product("output", kernels.output, { a: b.o, residual: b.x, y: b.attended }),
    input("gateUp", kernels.gateUpInput, b.attended, normAt(base, `${at}.post_attention_layernorm.weight`), b.inverseRms2),
    product("gateUp", kernels.gateUp, { normed: own.normed, act: b.act, ...(b.gates ? { gates: b.gates } : {}) }),
    input("down", kernels.downInput, b.act, 0, unused),
    product("down", kernels.down, { a: b.act, residual: b.attended, y: b.next }),
  ];
}

/** x of the rows' tokens, wherever their ids lie. */
async function planEmbedding(engine: Engine, { rows, id, count }: IdRows, decoding: boolean) {
  // Where rows decode, their number is that of the scored ones: a pass over prompts has more rows than sequences.
  const over = decoding ? "scored" : "rows";
  const kernel = await planKernel(engine, frozenEmbedKernel(engine.shape, rows.form, over), decoding ? overScored : overRows);
  const base = baseOf(engine).memory.bufferOf(rows);
  return (rowInfo: GPUBuffer, x: GPUBuffer): Operation => ({ ...kernel, buffers: { base, row_info: rowInfo, x }, offsets: { id, count } });
}

/** The norm at scored rows, in front of the head. */
export async function planFinalNorm(engine: Engine) {
  const { D, eps } = engine.shape;
  const kernel = await planKernel(engine, adapterInputKernel({ label: "final norm", width: D, parts: [], eps, scored: true }), overScored);
  const base = baseOf(engine);
  return (buffers: { x: GPUBuffer; score_row: GPUBuffer; normed: GPUBuffer; inverse_rms: GPUBuffer }): Operation => ({
    ...kernel,
    buffers: { ...buffers, vectors: base.memory.vectors },
    offsets: { norm: normAt(base, "model.norm.weight") },
  });
}

const isOperation = (operation: Operation | null): operation is Operation => operation !== null;

/** Compiles the forward pass; in low tiles where each row is a sequence that decodes. */
export async function planFrozenForward(engine: Engine, kind: PassKind): Promise<ForwardPass> {
  const { plan, memory } = baseOf(engine);
  const layers = await Promise.all(plan.layers.map((layer) => planLayer(engine, layer, kind)));
  const embeddings = await Promise.all(plan.embedding.map((ids) => planEmbedding(engine, ids, kind.decoding)));
  const finalNorm = await planFinalNorm(engine);
  const logits = await Promise.all(
    plan.head.map(async ({ rows, id, count }) => ({
      ...{ rows, id, count },
      kernel: await planKernel(engine, logitsKernel(engine.shape, rows.form, lowFrozen), productGrid(lowFrozen, count, "scored")),
    })),
  );
  return {
    embed: (_slot, rowInfo, x) => embeddings.map((embed) => embed(rowInfo, x)),
    layers: (slot, given, buffers) =>
      buffers.flatMap((b, layer) => layerOperations(engine, layers[layer]!, slot, layer, given, b)).filter(isOperation),
    logits: (_slot, { x, scoreRow, normed, logits: into, inverseRms }) => [
      finalNorm({ x, score_row: scoreRow, normed, inverse_rms: inverseRms }),
      ...logits.map(({ rows, id, count, kernel }) => ({
        ...kernel,
        buffers: { base: memory.bufferOf(rows), normed, logits: into },
        offsets: { id, count },
      })),
    ],
  };
}
