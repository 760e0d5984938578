// The backward pass as operations: twelve dispatches a layer, five around them. Every weight gradient
// adds to what is there.
import type { BufferSource } from "../../../kernels/webgpu/arena.ts";
import { attentionGrid } from "../../../kernels/webgpu/attention/tiledAttention.ts";
import { embeddingGradientKernel } from "../../../kernels/webgpu/embedding.ts";
import { gemmGrid, smallTile, type Tile, wideTile } from "../../../kernels/webgpu/gemm.ts";
import { logitsGradientKernel } from "../../../kernels/webgpu/head.ts";
import type { Kernel } from "../../../kernels/webgpu/kernel.ts";
import { rowInfoWords } from "../../../kernels/webgpu/kernel.ts";
import { type Operation, rowGrid, type Sizes } from "../../../kernels/webgpu/program.ts";
import { keyValueGradientKernel, queryGradientKernel } from "../../../kernels/webgpu/update/attentionGradient.ts";
import { headInputGradientKernel, inputGradientKernel, swigluGradientKernel } from "../../../kernels/webgpu/update/inputGradient.ts";
import { finalRmsGradientKernel, rmsGradientGroups, rmsGradientKernel } from "../../../kernels/webgpu/update/rmsGradient.ts";
import {
  headWeightGradientKernel,
  normedWeightGradientKernel,
  weightGradientKernel,
} from "../../../kernels/webgpu/update/weightGradient.ts";
import type { Capacity, DeviceSizes } from "../deviceSizes.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../layerBuffers.ts";
import { inParallel, planKernel } from "../passes.ts";
import { embeddingWindow, finalNormWindow, gemmRows, headName, headWindow, layerWindow, planTiled, tileFor } from "./forward.ts";

/** Scratch shared by all layers, and what the scores come from; what only a gradient needs is there with `keep`. */
export function passBuffers<B>(
  engine: DeviceSizes & { rope(positions: number): B },
  arena: BufferSource<B>,
  { rows, scored, positions }: Capacity,
  keep: boolean,
) {
  const { D, Q, KV } = engine.shape;
  const gradientOnly = (name: string, words: number) => arena.storage(name, keep ? words : 1);
  return {
    // Each row may add one range of users of its prefix.
    rowInfo: arena.storage("row info", rows * (rowInfoWords + 4)),
    rope: engine.rope(positions),
    scoreRow: arena.storage("score row", scored),
    targetToken: arena.storage("target token", scored),
    rowScores: gradientOnly("row scores", rows + 1 + 2 * scored),
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

/** What scores and a gradient of whole weights need besides. */
export function wholeBuffers<B>({ shape }: DeviceSizes, arena: BufferSource<B>, { rows, scored }: Capacity, keep: boolean) {
  const { D, V } = shape;
  return {
    tokenRows: arena.storage("token rows", keep ? V + 1 + rows : 1),
    logits: arena.storage("logits", scored * V),
    finalInverseRms: arena.storage("final inverse rms", scored),
    dhScored: arena.storage("dh scored", keep ? scored * D : 1),
  };
}
/** Buffers of a pass over whole weights. */
export type BackwardBuffers = PassBuffers & ReturnType<typeof wholeBuffers<GPUBuffer>>;

/** Rows of the batch each part of a weight gradient should have at least. */
const rowsPerPart = 128;
/** Workgroups that keep a large GPU busy. */
const enoughGroups = 512;

/** Compiles a weight gradient with tile and parts suited to its size. */
function weightGemm(engine: Engine, outputs: number, inputs: number, make: (tile: Tile) => Kernel, over: keyof Sizes = "rows") {
  const { copies } = engine.parameters;
  const [wideX, wideY] = gemmGrid(wideTile, outputs, inputs);
  const tile = wideX * wideY * copies >= 64 ? wideTile : smallTile;
  const [x, y] = gemmGrid(tile, outputs, inputs);
  const parts = (rows: number) => Math.max(1, Math.min(copies, Math.ceil(enoughGroups / (x * y)), Math.ceil(rows / rowsPerPart)));
  return planTiled(engine, tile, make, (sizes) => [x, y, parts(sizes[over])]);
}

/** Compiles everything the backward pass needs. */
function backwardKernels(engine: Engine) {
  const { shape } = engine;
  const { D, F, Q, KV, V, heads, kvHeads } = shape;
  /** The gradient of a projection's input, by the width of the input. */
  const toInput = (width: number) => planTiled(engine, tileFor(width), inputGradientKernel, gemmRows(tileFor(width), width));
  return inParallel({
    logits: planKernel(engine, logitsGradientKernel(shape), ({ scored }) => rowGrid(scored)),
    headInput: planKernel(engine, headInputGradientKernel(shape, tileFor(D)), gemmRows(tileFor(D), D, "scored")),
    headWeight: weightGemm(engine, V, D, headWeightGradientKernel, "scored"),
    finalRms: planKernel(engine, finalRmsGradientKernel(shape), ({ rows }) => rowGrid(rmsGradientGroups(rows, D))),
    swiglu: planKernel(engine, swigluGradientKernel(shape, tileFor(F)), gemmRows(tileFor(F), F)),
    downWeight: weightGemm(engine, D, F, weightGradientKernel),
    gateUpWeight: weightGemm(engine, 2 * F, D, normedWeightGradientKernel),
    rms: planKernel(engine, rmsGradientKernel(shape), ({ rows }) => rowGrid(rmsGradientGroups(rows, D))),
    toWidth: toInput(D),
    toHeads: toInput(Q),
    outputWeight: weightGemm(engine, D, Q, weightGradientKernel),
    query: planKernel(engine, queryGradientKernel(shape), ({ rows }) => attentionGrid(rows, heads)),
    keyValue: planKernel(engine, keyValueGradientKernel(shape), ({ rows }) => attentionGrid(rows, kvHeads)),
    qkvWeight: weightGemm(engine, Q + 2 * KV, D, normedWeightGradientKernel),
    embedding: planKernel(engine, embeddingGradientKernel(shape), () => rowGrid(V)),
  });
}
type BackwardKernels = Awaited<ReturnType<typeof backwardKernels>>;

/** From token gradients to dx at the last layer's output, with the head, final norm and critic. */
function headOperations(engine: Engine, kernels: BackwardKernels, b: BackwardBuffers, lastX: GPUBuffer): Operation[] {
  const { parameters, shape } = engine;
  const policy = parameters.weights("policy");
  const { D, V, valueHead } = shape;
  const norm = finalNormWindow(engine, policy);
  const matrixGradient = headWindow(engine, parameters.gradient);
  const matrixAt = parameters.offsetOf(headName(engine));
  const valueAt = valueHead ? parameters.offsetOf("value_head.weight") : 0;
  const weights = parameters.window(policy, matrixAt, valueHead ? valueAt + D : matrixAt + V * D);
  const normAt = parameters.offsetOf("model.norm.weight");
  const gradient = parameters.window(parameters.gradient, normAt, valueHead ? valueAt + D + 1 : normAt + D);
  const tokenGradients: Record<string, GPUBuffer> = valueHead ? { token_gradients: b.tokenGradients } : {};
  return [
    {
      ...kernels.logits,
      buffers: { target_token: b.targetToken, scores: b.scores, token_gradients: b.tokenGradients, logits: b.logits },
      offsets: {},
    },
    {
      ...kernels.headInput,
      buffers: { weights: weights.binding, dy: b.logits, dx: b.dhScored, ...tokenGradients },
      offsets: { matrix: matrixAt - weights.base, valueWeight: valueAt - weights.base },
    },
    {
      ...kernels.headWeight,
      buffers: {
        dy: b.logits,
        x: lastX,
        score_row: b.scoreRow,
        inverse_rms: b.finalInverseRms,
        weights: norm.binding,
        gradient: matrixGradient.binding,
      },
      offsets: { gradient: matrixGradient.at, stride: parameters.stride, outputs: V, inputs: D, norm: norm.at },
    },
    {
      ...kernels.finalRms,
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
      offsets: { norm: norm.at, gradient: normAt - gradient.base, valueGradient: valueAt - gradient.base },
    },
  ];
}

/** From dx at a layer's output to dx at its input: the feed-forward half, then the attention half. */
function layerOperations(engine: Engine, kernels: BackwardKernels, layer: number, l: LayerBuffers, b: BackwardBuffers): Operation[] {
  const { parameters, shape } = engine;
  const { D, F, Q, KV } = shape;
  const { gates } = l;
  if (!gates) throw new Error("internal: a backward pass needs the gates kept");
  const at = layerWindow(engine, parameters.weights("policy"), layer);
  const to = layerWindow(engine, parameters.gradient, layer);
  const weights = at.binding;
  const gradient = to.binding;
  const { stride } = parameters;
  const attention = { q: l.q, kv: l.kv, row_info: b.rowInfo, rope: b.rope, d_o: b.dO, stats: l.stats, dqkv: b.dqkv };
  return [
    { ...kernels.swiglu, buffers: { weights, dy: b.dx, gates, act: l.act }, offsets: { matrix: at.down } },
    { ...kernels.downWeight, buffers: { dy: b.dx, x: l.act, gradient }, offsets: { gradient: to.down, stride, outputs: D, inputs: F } },
    { ...kernels.toWidth, buffers: { weights, dy: gates, dx: b.dh }, offsets: { matrix: at.gateUp, outputs: 2 * F, inputs: D } },
    {
      ...kernels.gateUpWeight,
      buffers: { dy: gates, x: l.attended, inverse_rms: l.inverseRms2, weights, gradient },
      offsets: { gradient: to.gateUp, stride, outputs: 2 * F, inputs: D, norm: at.norm2 },
    },
    {
      ...kernels.rms,
      buffers: { weights, x: l.attended, inverse_rms: l.inverseRms2, dy: b.dh, dx: b.dx, gradient },
      offsets: { norm: at.norm2, gradient: to.norm2 },
    },
    { ...kernels.toHeads, buffers: { weights, dy: b.dx, dx: b.dO }, offsets: { matrix: at.output, outputs: D, inputs: Q } },
    { ...kernels.outputWeight, buffers: { dy: b.dx, x: l.o, gradient }, offsets: { gradient: to.output, stride, outputs: D, inputs: Q } },
    { ...kernels.query, buffers: { ...attention, o: l.o }, offsets: {} },
    { ...kernels.keyValue, buffers: attention, offsets: {} },
    { ...kernels.toWidth, buffers: { weights, dy: b.dqkv, dx: b.dh }, offsets: { matrix: at.qkv, outputs: Q + 2 * KV, inputs: D } },
    {
      ...kernels.qkvWeight,
      buffers: { dy: b.dqkv, x: l.x, inverse_rms: l.inverseRms1, weights, gradient },
      offsets: { gradient: to.qkv, stride, outputs: Q + 2 * KV, inputs: D, norm: at.norm1 },
    },
    {
      ...kernels.rms,
      buffers: { weights, x: l.x, inverse_rms: l.inverseRms1, dy: b.dh, dx: b.dx, gradient },
      offsets: { norm: at.norm1, gradient: to.norm1 },
    },
  ];
}

/** The whole backward pass; `layers` as the forward pass left them. */
export async function planWholeBackward(engine: Engine, layers: readonly LayerBuffers[], b: BackwardBuffers): Promise<Operation[]> {
  const kernels = await backwardKernels(engine);
  const last = layers.at(-1);
  if (!last) throw new Error("internal: a model needs a layer");
  const perLayer = layers.map((l, i) => layerOperations(engine, kernels, i, l, b));
  const { binding, at } = embeddingWindow(engine, engine.parameters.gradient);
  const embedding: Operation = {
    ...kernels.embedding,
    buffers: { dx: b.dx, token_rows: b.tokenRows, gradient: binding },
    offsets: { gradient: at },
  };
  return [...headOperations(engine, kernels, b, last.next), ...perLayer.reverse().flat(), embedding];
}
