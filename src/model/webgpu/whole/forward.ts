// The forward pass as operations: five dispatches a layer, the same ones to train, to fill the cache
// from prompts and to decode; only buffers and tile sizes differ.

import { embedKernel } from "../../../kernels/webgpu/embedding.ts";
import { decodeTile, gemmGrid, smallTile, type Tile, wideTile } from "../../../kernels/webgpu/gemm.ts";
import { logitsKernel } from "../../../kernels/webgpu/head.ts";
import type { Kernel } from "../../../kernels/webgpu/kernel.ts";
import { type Grid, type Operation, rowGrid, type Sizes } from "../../../kernels/webgpu/program.ts";
import { gateUpKernel, qkvKernel, residualProjectionKernel } from "../../../kernels/webgpu/projections.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../layerBuffers.ts";
import {
  type ForwardPass,
  inParallel,
  type LogitBuffers,
  type PassKind,
  type PlannedKernel,
  planAttention,
  planKernel,
} from "../passes.ts";

/** A tile that fills the device: wide where the result has columns enough for it. */
export const tileFor = (columns: number): Tile => (columns >= 256 ? wideTile : smallTile);

/** Grid of a matrix multiply with a row per row of the batch, or per scored token. */
export const gemmRows =
  (tile: Tile, columns: number, over: keyof Sizes = "rows") =>
  (sizes: Sizes): Grid => [...gemmGrid(tile, sizes[over], columns), 1];

/** A matrix multiply, with the tile in its label. */
export function planTiled(engine: Engine, tile: Tile, make: (tile: Tile) => Kernel, grid: PlannedKernel["grid"]): Promise<PlannedKernel> {
  const kernel = make(tile);
  return planKernel(engine, { ...kernel, label: `${kernel.label} (${tile.rows} x ${tile.columns})` }, grid);
}

/** Compiles the forward kernels for one choice of tiles. */
function forwardKernels(engine: Engine, decoding: boolean, keep: boolean) {
  const { shape } = engine;
  const { D, F, Q, KV, V } = shape;
  const tile = decoding ? () => decodeTile : tileFor;
  const tiled = (columns: number, make: (tile: Tile) => Kernel, over?: keyof Sizes) =>
    planTiled(engine, tile(columns), make, gemmRows(tile(columns), columns, over));
  return inParallel({
    embed: planKernel(engine, embedKernel(shape), ({ rows }) => rowGrid(rows)),
    qkv: tiled(Q + 2 * KV, (t) => qkvKernel(shape, t)),
    attention: planAttention(engine, decoding),
    /** Attention output and down projection. */
    residual: tiled(D, residualProjectionKernel),
    gateUp: tiled(2 * F, (t) => gateUpKernel(shape, t, keep)),
    logits: tiled(V, (t) => logitsKernel(shape, t), "scored"),
  });
}
type ForwardKernels = Awaited<ReturnType<typeof forwardKernels>>;

/** Window over a layer's weights and the offsets of its tensors in it. */
export function layerWindow(engine: Engine, buffer: GPUBuffer, layer: number) {
  const { parameters, shape } = engine;
  const at = (name: string) => parameters.offsetOf(`model.layers.${layer}.${name}.weight`);
  const { binding, base } = parameters.window(buffer, at("input_layernorm"), at("mlp.down_proj") + shape.D * shape.F);
  return {
    binding,
    norm1: at("input_layernorm") - base,
    qkv: at("self_attn.q_proj") - base,
    output: at("self_attn.o_proj") - base,
    norm2: at("post_attention_layernorm") - base,
    gateUp: at("mlp.gate_proj") - base,
    down: at("mlp.down_proj") - base,
  };
}

/** x = embedding of the rows' tokens. */
function embedOperation(engine: Engine, kernels: ForwardKernels, slot: WeightSlot, rowInfo: GPUBuffer, x: GPUBuffer): Operation {
  const { binding, at } = embeddingWindow(engine, engine.parameters.weights(slot));
  return { ...kernels.embed, buffers: { weights: binding, row_info: rowInfo, x }, offsets: { embedding: at } };
}

/** Window over one tensor in a flat buffer of parameter order, and where it begins in the window. */
function tensorWindow({ parameters }: Engine, buffer: GPUBuffer, name: string, words: number) {
  const from = parameters.offsetOf(name);
  const { binding, base } = parameters.window(buffer, from, from + words);
  return { binding, at: from - base };
}

export function embeddingWindow(engine: Engine, buffer: GPUBuffer) {
  return tensorWindow(engine, buffer, "model.embed_tokens.weight", engine.shape.V * engine.shape.D);
}

export function finalNormWindow(engine: Engine, buffer: GPUBuffer) {
  return tensorWindow(engine, buffer, "model.norm.weight", engine.shape.D);
}

/** Name of the output head: the embedding where they are tied. */
export const headName = ({ config }: Engine): string => (config.tiedEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight");

export function headWindow(engine: Engine, buffer: GPUBuffer) {
  return tensorWindow(engine, buffer, headName(engine), engine.shape.V * engine.shape.D);
}

/** The five operations of one layer. */
function layerOperations(
  engine: Engine,
  kernels: ForwardKernels,
  slot: WeightSlot,
  layer: number,
  rowInfo: GPUBuffer,
  rope: GPUBuffer,
  b: LayerBuffers,
): Operation[] {
  const { D, F, Q } = engine.shape;
  const at = layerWindow(engine, engine.parameters.weights(slot), layer);
  const weights = at.binding;
  return [
    {
      ...kernels.qkv,
      buffers: { weights, x: b.x, row_info: rowInfo, rope, q: b.q, kv: b.kv, inverse_rms: b.inverseRms1 },
      offsets: { norm: at.norm1, matrix: at.qkv },
    },
    { ...kernels.attention, buffers: { q: b.q, kv: b.kv, row_info: rowInfo, o: b.o, stats: b.stats }, offsets: {} },
    {
      ...kernels.residual,
      buffers: { weights, a: b.o, residual: b.x, y: b.attended },
      offsets: { matrix: at.output, inputs: Q, outputs: D },
    },
    {
      ...kernels.gateUp,
      buffers: { weights, x: b.attended, act: b.act, inverse_rms: b.inverseRms2, ...(b.gates ? { gates: b.gates } : {}) },
      offsets: { norm: at.norm2, matrix: at.gateUp },
    },
    {
      ...kernels.residual,
      buffers: { weights, a: b.act, residual: b.attended, y: b.next },
      offsets: { matrix: at.down, inputs: F, outputs: D },
    },
  ];
}

/** Logits of rows score_row of x. */
function logitsOperation(engine: Engine, kernels: ForwardKernels, slot: WeightSlot, buffers: LogitBuffers): Operation {
  const head = headWindow(engine, engine.parameters.weights(slot));
  const norm = finalNormWindow(engine, engine.parameters.weights(slot));
  return {
    ...kernels.logits,
    buffers: {
      weights: head.binding,
      norm_weights: norm.binding,
      x: buffers.x,
      score_row: buffers.scoreRow,
      logits: buffers.logits,
      inverse_rms: buffers.inverseRms,
    },
    offsets: { norm: norm.at, matrix: head.at },
  };
}

/** Compiles the forward pass over whole weights; in low tiles where each row is a sequence that decodes. */
export async function planWholeForward(engine: Engine, { decoding, keep }: PassKind): Promise<ForwardPass> {
  const kernels = await forwardKernels(engine, decoding, keep);
  return {
    embed: (slot, rowInfo, x) => [embedOperation(engine, kernels, slot, rowInfo, x)],
    layers: (slot, { rowInfo, rope }, buffers) =>
      buffers.flatMap((b, layer) => layerOperations(engine, kernels, slot, layer, rowInfo, rope, b)),
    logits: (slot, buffers) => [logitsOperation(engine, kernels, slot, buffers)],
  };
}

/** Throws where a layer or the head is larger than a binding. */
export function checkWindows(engine: Engine): void {
  const { parameters, config } = engine;
  for (const buffer of [parameters.weights("policy"), parameters.gradient]) {
    for (let layer = 0; layer < config.layers; layer++) layerWindow(engine, buffer, layer);
    headWindow(engine, buffer);
  }
}
