// The backward pass as operations: twelve dispatches a layer, five around them. Every weight gradient
// adds to what is there.
import { keyValueGradientKernel, queryGradientKernel } from "../../kernels/webgpu/attentionGradient.ts";
import type { CompiledKernel } from "../../kernels/webgpu/device.ts";
import { embeddingGradientKernel } from "../../kernels/webgpu/embeddingGradient.ts";
import { gemmGrid, smallTile, type Tile, wideTile } from "../../kernels/webgpu/gemm.ts";
import { headInputGradientKernel, inputGradientKernel, swigluGradientKernel } from "../../kernels/webgpu/inputGradient.ts";
import type { Kernel } from "../../kernels/webgpu/kernel.ts";
import { logitsGradientKernel } from "../../kernels/webgpu/logitsGradient.ts";
import { type Grid, type Operation, rowGrid, type Sizes } from "../../kernels/webgpu/program.ts";
import { finalRmsGradientKernel, rmsGradientGroups, rmsGradientKernel } from "../../kernels/webgpu/rmsGradient.ts";
import { headWeightGradientKernel, normedWeightGradientKernel, weightGradientKernel } from "../../kernels/webgpu/weightGradient.ts";
import type { Engine } from "./engine.ts";
import { compileTiled, finalNormWindow, gemmRows, headWindow, type LayerBuffers, layerWindow, tileFor } from "./forward.ts";

/** Scratch of the backward pass, shared by all layers, and what the scores came from. */
export interface BackwardBuffers {
  readonly rowInfo: GPUBuffer;
  readonly rope: GPUBuffer;
  readonly scoreRow: GPUBuffer;
  readonly targetToken: GPUBuffer;
  readonly rowScores: GPUBuffer;
  readonly tokenRows: GPUBuffer;
  readonly scores: GPUBuffer;
  readonly tokenGradients: GPUBuffer;
  readonly logits: GPUBuffer;
  readonly finalInverseRms: GPUBuffer;
  /** Gradient of the residual stream, of a norm's output, of an attention output, and of q, k and v. */
  readonly dx: GPUBuffer;
  readonly dh: GPUBuffer;
  readonly dhScored: GPUBuffer;
  readonly dO: GPUBuffer;
  readonly dqkv: GPUBuffer;
}

/** Rows of the batch each part of a weight gradient should have at least. */
const rowsPerPart = 128;
/** Workgroups that keep a large GPU busy. */
const enoughGroups = 512;

interface WeightGemm {
  readonly kernel: CompiledKernel;
  readonly grid: (sizes: Sizes) => Grid;
}

interface BackwardKernels {
  readonly logits: CompiledKernel;
  readonly headInput: CompiledKernel;
  readonly headWeight: WeightGemm;
  readonly finalRms: CompiledKernel;
  readonly swiglu: CompiledKernel;
  readonly downWeight: WeightGemm;
  readonly gateUpWeight: WeightGemm;
  readonly rms: CompiledKernel;
  /** Plain input gradients by the width of the input. */
  readonly toWidth: CompiledKernel;
  readonly toHeads: CompiledKernel;
  readonly outputWeight: WeightGemm;
  readonly query: CompiledKernel;
  readonly keyValue: CompiledKernel;
  readonly qkvWeight: WeightGemm;
  readonly embedding: CompiledKernel;
}

/** Compiles a weight gradient with tile and parts suited to its size. */
async function weightGemm(
  engine: Engine,
  outputs: number,
  inputs: number,
  make: (tile: Tile) => Kernel,
  over: keyof Sizes = "rows",
): Promise<WeightGemm> {
  const { copies } = engine.parameters;
  const [wideX, wideY] = gemmGrid(wideTile, outputs, inputs);
  const tile = wideX * wideY * copies >= 64 ? wideTile : smallTile;
  const [x, y] = gemmGrid(tile, outputs, inputs);
  const kernel = await compileTiled(engine, tile, make);
  const parts = (rows: number) => Math.max(1, Math.min(copies, Math.ceil(enoughGroups / (x * y)), Math.ceil(rows / rowsPerPart)));
  return { kernel, grid: (sizes) => [x, y, parts(sizes[over])] };
}

/** Compiles everything the backward pass needs. */
export async function backwardKernels(engine: Engine): Promise<BackwardKernels> {
  const { shape } = engine;
  const { D, F, Q, KV, V } = shape;
  const compile = (kernel: Kernel) => engine.compile(kernel);
  const [logits, headInput, finalRms, swiglu, rms, toWidth, toHeads, query, keyValue, embedding] = await Promise.all([
    compile(logitsGradientKernel(shape)),
    compile(headInputGradientKernel(shape, tileFor(D))),
    compile(finalRmsGradientKernel(shape)),
    compile(swigluGradientKernel(shape, tileFor(F))),
    compile(rmsGradientKernel(shape)),
    compileTiled(engine, tileFor(D), inputGradientKernel),
    compileTiled(engine, tileFor(Q), inputGradientKernel),
    compile(queryGradientKernel(shape)),
    compile(keyValueGradientKernel(shape)),
    compile(embeddingGradientKernel(shape)),
  ]);
  const [headWeight, downWeight, gateUpWeight, outputWeight, qkvWeight] = await Promise.all([
    weightGemm(engine, V, D, headWeightGradientKernel, "scored"),
    weightGemm(engine, D, F, weightGradientKernel),
    weightGemm(engine, 2 * F, D, normedWeightGradientKernel),
    weightGemm(engine, D, Q, weightGradientKernel),
    weightGemm(engine, Q + 2 * KV, D, normedWeightGradientKernel),
  ]);
  return {
    logits,
    headInput,
    headWeight,
    finalRms,
    swiglu,
    downWeight,
    gateUpWeight,
    rms,
    toWidth,
    toHeads,
    outputWeight,
    query,
    keyValue,
    qkvWeight,
    embedding,
  };
}

/** From token gradients to dx at the last layer's output, with the head, final norm and critic. */
function headOperations(engine: Engine, kernels: BackwardKernels, b: BackwardBuffers, lastX: GPUBuffer): Operation[] {
  const { parameters, shape, config } = engine;
  const policy = parameters.weights("policy");
  const { D, V, valueHead } = shape;
  const norm = finalNormWindow(engine, policy);
  const matrixGradient = headWindow(engine, parameters.gradient);
  const headName = config.tiedEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight";
  const matrixAt = parameters.offsetOf(headName);
  const valueAt = valueHead ? parameters.offsetOf("value_head.weight") : 0;
  const weights = parameters.window(policy, matrixAt, valueHead ? valueAt + D : matrixAt + V * D);
  const normAt = parameters.offsetOf("model.norm.weight");
  const gradient = parameters.window(parameters.gradient, normAt, valueHead ? valueAt + D + 1 : normAt + D);
  const tokenGradients: Record<string, GPUBuffer> = valueHead ? { token_gradients: b.tokenGradients } : {};
  return [
    {
      kernel: kernels.logits,
      buffers: { target_token: b.targetToken, scores: b.scores, token_gradients: b.tokenGradients, logits: b.logits },
      offsets: {},
      grid: ({ scored }) => rowGrid(scored),
    },
    {
      kernel: kernels.headInput,
      buffers: { weights: weights.binding, dy: b.logits, dx: b.dhScored, ...tokenGradients },
      offsets: { matrix: matrixAt - weights.base, valueWeight: valueAt - weights.base },
      grid: gemmRows(tileFor(D), D, "scored"),
    },
    {
      kernel: kernels.headWeight.kernel,
      buffers: {
        dy: b.logits,
        x: lastX,
        score_row: b.scoreRow,
        inverse_rms: b.finalInverseRms,
        weights: norm.binding,
        gradient: matrixGradient.binding,
      },
      offsets: { gradient: matrixGradient.matrix, stride: parameters.stride, outputs: V, inputs: D, norm: norm.norm },
      grid: kernels.headWeight.grid,
    },
    {
      kernel: kernels.finalRms,
      buffers: {
        weights: norm.binding,
        x: lastX,
        inverse_rms: b.finalInverseRms,
        dy: b.dhScored,
        row_scores: b.rowScores,
        dx: b.dx,
        gradient: gradient.binding,
        ...tokenGradients,
      },
      offsets: { norm: norm.norm, gradient: normAt - gradient.base, valueGradient: valueAt - gradient.base },
      grid: ({ rows }) => rowGrid(rmsGradientGroups(rows, D)),
    },
  ];
}

/** From dx at the layer's output to dx at its input: the feed-forward half. */
function feedForwardOperations(engine: Engine, kernels: BackwardKernels, layer: number, l: LayerBuffers, b: BackwardBuffers): Operation[] {
  const { parameters, shape } = engine;
  const { D, F } = shape;
  if (!l.gates) throw new Error("internal: a backward pass needs the gates kept");
  const at = layerWindow(engine, parameters.weights("policy"), layer);
  const to = layerWindow(engine, parameters.gradient, layer);
  const weights = at.binding;
  const gradient = to.binding;
  const { stride } = parameters;
  return [
    {
      kernel: kernels.swiglu,
      buffers: { weights, dy: b.dx, gates: l.gates, act: l.act },
      offsets: { matrix: at.down },
      grid: gemmRows(tileFor(F), F),
    },
    {
      kernel: kernels.downWeight.kernel,
      buffers: { dy: b.dx, x: l.act, gradient },
      offsets: { gradient: to.down, stride, outputs: D, inputs: F },
      grid: kernels.downWeight.grid,
    },
    {
      kernel: kernels.toWidth,
      buffers: { weights, dy: l.gates, dx: b.dh },
      offsets: { matrix: at.gateUp, outputs: 2 * F, inputs: D },
      grid: gemmRows(tileFor(D), D),
    },
    {
      kernel: kernels.gateUpWeight.kernel,
      buffers: { dy: l.gates, x: l.attended, inverse_rms: l.inverseRms2, weights, gradient },
      offsets: { gradient: to.gateUp, stride, outputs: 2 * F, inputs: D, norm: at.norm2 },
      grid: kernels.gateUpWeight.grid,
    },
    {
      kernel: kernels.rms,
      buffers: { weights, x: l.attended, inverse_rms: l.inverseRms2, dy: b.dh, dx: b.dx, gradient },
      offsets: { norm: at.norm2, gradient: to.norm2 },
      grid: ({ rows }) => rowGrid(rmsGradientGroups(rows, D)),
    },
  ];
}

/** The attention half. */
function attentionOperations(engine: Engine, kernels: BackwardKernels, layer: number, l: LayerBuffers, b: BackwardBuffers): Operation[] {
  const { parameters, shape } = engine;
  const { D, Q, KV, heads, kvHeads } = shape;
  const at = layerWindow(engine, parameters.weights("policy"), layer);
  const to = layerWindow(engine, parameters.gradient, layer);
  const weights = at.binding;
  const gradient = to.binding;
  const { stride } = parameters;
  const shared = { q: l.q, kv: l.kv, row_info: b.rowInfo, rope: b.rope, d_o: b.dO, stats: l.stats, dqkv: b.dqkv };
  return [
    {
      kernel: kernels.toHeads,
      buffers: { weights, dy: b.dx, dx: b.dO },
      offsets: { matrix: at.output, outputs: D, inputs: Q },
      grid: gemmRows(tileFor(Q), Q),
    },
    {
      kernel: kernels.outputWeight.kernel,
      buffers: { dy: b.dx, x: l.o, gradient },
      offsets: { gradient: to.output, stride, outputs: D, inputs: Q },
      grid: kernels.outputWeight.grid,
    },
    { kernel: kernels.query, buffers: { ...shared, o: l.o }, offsets: {}, grid: ({ rows }) => rowGrid(rows, heads) },
    { kernel: kernels.keyValue, buffers: shared, offsets: {}, grid: ({ rows }) => rowGrid(rows, kvHeads) },
    {
      kernel: kernels.toWidth,
      buffers: { weights, dy: b.dqkv, dx: b.dh },
      offsets: { matrix: at.qkv, outputs: Q + 2 * KV, inputs: D },
      grid: gemmRows(tileFor(D), D),
    },
    {
      kernel: kernels.qkvWeight.kernel,
      buffers: { dy: b.dqkv, x: l.x, inverse_rms: l.inverseRms1, weights, gradient },
      offsets: { gradient: to.qkv, stride, outputs: Q + 2 * KV, inputs: D, norm: at.norm1 },
      grid: kernels.qkvWeight.grid,
    },
    {
      kernel: kernels.rms,
      buffers: { weights, x: l.x, inverse_rms: l.inverseRms1, dy: b.dh, dx: b.dx, gradient },
      offsets: { norm: at.norm1, gradient: to.norm1 },
      grid: ({ rows }) => rowGrid(rmsGradientGroups(rows, D)),
    },
  ];
}

/** The whole backward pass; `layers` as the forward pass left them. */
export function backwardOperations(
  engine: Engine,
  kernels: BackwardKernels,
  layers: readonly LayerBuffers[],
  b: BackwardBuffers,
): Operation[] {
  const last = layers.at(-1);
  if (!last) throw new Error("internal: a model needs a layer");
  const perLayer = layers.flatMap((l, i) => [
    { layer: i, operations: [...feedForwardOperations(engine, kernels, i, l, b), ...attentionOperations(engine, kernels, i, l, b)] },
  ]);
  const { V, D } = engine.shape;
  const from = engine.parameters.offsetOf("model.embed_tokens.weight");
  const { binding, base } = engine.parameters.window(engine.parameters.gradient, from, from + V * D);
  const embedding: Operation = {
    kernel: kernels.embedding,
    buffers: { dx: b.dx, token_rows: b.tokenRows, gradient: binding },
    offsets: { gradient: from - base },
    grid: () => rowGrid(V),
  };
  return [...headOperations(engine, kernels, b, last.next), ...perLayer.reverse().flatMap(({ operations }) => operations), embedding];
}
