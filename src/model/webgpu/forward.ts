// The forward pass as operations: five dispatches a layer, the same ones to train, to fill the cache
// from prompts and to decode; only buffers and tile sizes differ.
import { attentionKernel } from "../../kernels/webgpu/attention.ts";
import type { CompiledKernel } from "../../kernels/webgpu/device.ts";
import { embedKernel } from "../../kernels/webgpu/embed.ts";
import { gateUpKernel } from "../../kernels/webgpu/gateUp.ts";
import { gemmGrid, smallTile, type Tile, wideTile } from "../../kernels/webgpu/gemm.ts";
import type { Kernel } from "../../kernels/webgpu/kernel.ts";
import { logitsKernel } from "../../kernels/webgpu/logits.ts";
import { type Grid, type Operation, rowGrid, type Sizes } from "../../kernels/webgpu/program.ts";
import { qkvKernel } from "../../kernels/webgpu/qkv.ts";
import { residualProjectionKernel } from "../../kernels/webgpu/residualProjection.ts";
import type { WeightSlot } from "../backend.ts";
import type { Engine } from "./engine.ts";

/** What one layer reads and writes. `gates` only where a gradient will follow. */
export interface LayerBuffers {
  readonly x: GPUBuffer;
  readonly q: GPUBuffer;
  readonly kv: GPUBuffer;
  readonly o: GPUBuffer;
  readonly stats: GPUBuffer;
  readonly attended: GPUBuffer;
  readonly inverseRms1: GPUBuffer;
  readonly inverseRms2: GPUBuffer;
  readonly act: GPUBuffer;
  readonly gates: GPUBuffer | null;
  readonly next: GPUBuffer;
}

/** A tile that fills the device: wide where the result has columns enough for it. */
export const tileFor = (columns: number): Tile => (columns >= 256 ? wideTile : smallTile);

/** Grid of a matrix multiply with a row per row of the batch, or per scored token. */
export const gemmRows =
  (tile: Tile, columns: number, over: keyof Sizes = "rows") =>
  (sizes: Sizes): Grid => [...gemmGrid(tile, sizes[over], columns), 1];

export interface ForwardKernels {
  readonly tile: (columns: number) => Tile;
  readonly embed: CompiledKernel;
  readonly qkv: CompiledKernel;
  readonly attention: CompiledKernel;
  /** Attention output and down projection. */
  readonly residual: CompiledKernel;
  readonly gateUp: CompiledKernel;
  readonly logits: CompiledKernel;
}

/** Compiles a matrix multiply with the tile in its label. */
export function compileTiled(engine: Engine, tile: Tile, make: (tile: Tile) => Kernel): Promise<CompiledKernel> {
  const kernel = make(tile);
  return engine.compile({ ...kernel, label: `${kernel.label} (${tile.rows} x ${tile.columns})` });
}

/** Compiles the forward kernels for one choice of tiles. */
export async function forwardKernels(engine: Engine, tile: (columns: number) => Tile, keep: boolean): Promise<ForwardKernels> {
  const { shape } = engine;
  const { D, F, Q, KV, V } = shape;
  const compile = (kernel: Kernel) => engine.compile(kernel);
  const tiled = (columns: number, make: (tile: Tile) => Kernel) => compileTiled(engine, tile(columns), make);
  const [embed, qkv, attention, residual, gateUp, logits] = await Promise.all([
    compile(embedKernel(shape)),
    tiled(Q + 2 * KV, (t) => qkvKernel(shape, t)),
    compile(attentionKernel(shape)),
    tiled(D, residualProjectionKernel),
    tiled(2 * F, (t) => gateUpKernel(shape, t, keep)),
    tiled(V, (t) => logitsKernel(shape, t)),
  ]);
  return { tile, embed, qkv, attention, residual, gateUp, logits };
}

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
export function embedOperation(engine: Engine, kernels: ForwardKernels, slot: WeightSlot, rowInfo: GPUBuffer, x: GPUBuffer): Operation {
  const { binding, embedding } = embeddingWindow(engine, slot);
  return {
    kernel: kernels.embed,
    buffers: { weights: binding, row_info: rowInfo, x },
    offsets: { embedding },
    grid: ({ rows }) => rowGrid(rows),
  };
}

/** Window over the embedding. */
export function embeddingWindow(engine: Engine, slot: WeightSlot) {
  const from = engine.parameters.offsetOf("model.embed_tokens.weight");
  const { binding, base } = engine.parameters.window(engine.parameters.weights(slot), from, from + engine.shape.V * engine.shape.D);
  return { binding, embedding: from - base };
}

/** The five operations of one layer. */
export function layerOperations(
  engine: Engine,
  kernels: ForwardKernels,
  slot: WeightSlot,
  layer: number,
  rowInfo: GPUBuffer,
  rope: GPUBuffer,
  b: LayerBuffers,
): Operation[] {
  const { D, F, Q, KV, heads } = engine.shape;
  const at = layerWindow(engine, engine.parameters.weights(slot), layer);
  const weights = at.binding;
  const gemm = (columns: number) => gemmRows(kernels.tile(columns), columns);
  return [
    {
      kernel: kernels.qkv,
      buffers: { weights, x: b.x, row_info: rowInfo, rope, q: b.q, kv: b.kv, inverse_rms: b.inverseRms1 },
      offsets: { norm: at.norm1, matrix: at.qkv },
      grid: gemm(Q + 2 * KV),
    },
    {
      kernel: kernels.attention,
      buffers: { q: b.q, kv: b.kv, row_info: rowInfo, o: b.o, stats: b.stats },
      offsets: {},
      grid: ({ rows }) => rowGrid(rows, heads),
    },
    {
      kernel: kernels.residual,
      buffers: { weights, a: b.o, residual: b.x, y: b.attended },
      offsets: { matrix: at.output, inputs: Q, outputs: D },
      grid: gemm(D),
    },
    {
      kernel: kernels.gateUp,
      buffers: { weights, x: b.attended, act: b.act, inverse_rms: b.inverseRms2, ...(b.gates ? { gates: b.gates } : {}) },
      offsets: { norm: at.norm2, matrix: at.gateUp },
      grid: gemm(2 * F),
    },
    {
      kernel: kernels.residual,
      buffers: { weights, a: b.act, residual: b.attended, y: b.next },
      offsets: { matrix: at.down, inputs: F, outputs: D },
      grid: gemm(D),
    },
  ];
}

/** Window over the final norm's weights in a flat buffer of parameter order. */
export function finalNormWindow(engine: Engine, buffer: GPUBuffer) {
  const from = engine.parameters.offsetOf("model.norm.weight");
  const { binding, base } = engine.parameters.window(buffer, from, from + engine.shape.D);
  return { binding, norm: from - base };
}

/** Window over the output head: the embedding where they are tied. */
export function headWindow(engine: Engine, buffer: GPUBuffer) {
  const from = engine.parameters.offsetOf(engine.config.tiedEmbeddings ? "model.embed_tokens.weight" : "lm_head.weight");
  const { binding, base } = engine.parameters.window(buffer, from, from + engine.shape.V * engine.shape.D);
  return { binding, matrix: from - base };
}

/** Logits of rows score_row of x. */
export function logitsOperation(
  engine: Engine,
  kernels: ForwardKernels,
  slot: WeightSlot,
  buffers: { readonly x: GPUBuffer; readonly scoreRow: GPUBuffer; readonly logits: GPUBuffer; readonly inverseRms: GPUBuffer },
): Operation {
  const head = headWindow(engine, engine.parameters.weights(slot));
  const norm = finalNormWindow(engine, engine.parameters.weights(slot));
  const { V } = engine.shape;
  return {
    kernel: kernels.logits,
    buffers: {
      weights: head.binding,
      norm_weights: norm.binding,
      x: buffers.x,
      score_row: buffers.scoreRow,
      logits: buffers.logits,
      inverse_rms: buffers.inverseRms,
    },
    offsets: { norm: norm.norm, matrix: head.matrix },
    grid: gemmRows(kernels.tile(V), V, "scored"),
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
