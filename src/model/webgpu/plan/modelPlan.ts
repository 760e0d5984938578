// How a model is laid out on a GPU: which matrices are multiplied as one, where each lies (among what is trained, or in a
// buffer of a frozen base, in its own form), beside which adapters, and how embedding and head are cut where a binding
// cannot hold them. Follows from shapes and types alone, so what a model takes is counted from this too.

import type { HeadParts } from "../../../kernels/webgpu/headVectors.ts";
import { f32 } from "../../../kernels/webgpu/kernel.ts";
import type { AdapterPart } from "../../../kernels/webgpu/product/gemmSpec.ts";
import type { Matrix } from "../../../kernels/webgpu/product/projections.ts";
import { rowWords, type StoredForm, storedForm, trainedForm } from "../../../kernels/webgpu/product/storedForm.ts";
import { baseTensor, type FrozenBase, isMatrix } from "../../lora/frozenBase.ts";
import { sizeOf, type TensorLayout, type TensorSlice } from "../../tensors.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../../transformerConfig.ts";
import { windowSlack } from "../parameters.ts";

/** The products of a layer, in their order, each of matrices whose rows follow each other and are trained together or not at all. */
const PRODUCTS = {
  qkv: { parts: ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"], norm: "input_layernorm" },
  output: { parts: ["self_attn.o_proj"], norm: null },
  gateUp: { parts: ["mlp.gate_proj", "mlp.up_proj"], norm: "post_attention_layernorm" },
  down: { parts: ["mlp.down_proj"], norm: null },
} as const;
export type Product = keyof typeof PRODUCTS;
export const PRODUCT_NAMES = Object.keys(PRODUCTS) as readonly Product[];

/** Rows of matrices, one behind the other. */
export interface MatrixRows {
  /** The label of their buffer, where they have one. */
  readonly name: string;
  readonly form: StoredForm;
  /** Values of a row. */
  readonly values: number;
  readonly words: number;
  /** Which rows of which tensors of the base lie in a buffer of their own, in order; null where they are trained. */
  readonly stored: readonly { readonly name: string; readonly first: number; readonly count: number }[] | null;
  /** First word among what is trained; 0 in a buffer of their own. */
  readonly at: number;
}

/** A product of one layer: its rows and where the adapters' A lie among what is trained, in the order of the matrix's parts. */
export interface PlannedProduct {
  readonly rows: MatrixRows;
  readonly matrix: Matrix;
  readonly adapters: readonly number[];
  /** Name of the norm before it; null where there is none. */
  readonly norm: string | null;
}

/** Ids [id, id + count) of the embedding or the head. */
export interface IdRows {
  readonly rows: MatrixRows;
  readonly id: number;
  readonly count: number;
}

export interface ModelPlan {
  readonly layers: readonly Readonly<Record<Product, PlannedProduct>>[];
  readonly embedding: readonly IdRows[];
  /** The embedding where they are tied. */
  readonly head: readonly IdRows[];
  /** What training moves, by name: all weights, or adapters and a value head. */
  readonly trained: ReadonlyMap<string, TensorSlice>;
  /** A frozen base's norms and biases by name: first word in the buffer of all of them. */
  readonly vectors: ReadonlyMap<string, number>;
  readonly vectorWords: number;
  readonly headParts: HeadParts;
  readonly sampledIds: number;
}

/** The model's shapes by name, and where each tensor lies. */
interface Given {
  readonly shapes: ReadonlyMap<string, TensorSlice>;
  readonly trained: ReadonlyMap<string, TensorSlice>;
  readonly frozen: FrozenBase | null;
  /** Words that a window over trained rows may have beside them. */
  readonly slack: number;
  readonly bindingBytes: number;
}

const byName = (layout: TensorLayout): ReadonlyMap<string, TensorSlice> => new Map(layout.map((slice) => [slice.name, slice]));

/** The type of a base's tensor. Throws a sentence where there is none of that shape. */
function typeOf({ shapes, frozen }: Given, name: string): string {
  if (!frozen) throw new Error(`internal: "${name}" is neither trained nor part of a base`);
  return baseTensor(frozen.tensors, name, shapes.get(name)!.shape).type.name;
}

/** Rows of some tensors, from row `first` of the only one or all of them. */
function rowsOf(given: Given, label: string, pieces: NonNullable<MatrixRows["stored"]>): MatrixRows {
  const { name, first } = pieces[0]!;
  const values = given.shapes.get(name)!.shape[1]!;
  const count = pieces.reduce((sum, piece) => sum + piece.count, 0);
  const own = given.trained.get(name);
  if (own) {
    const at = own.offset + first * values;
    return { name: label, form: trainedForm(at, values), values, words: count * values, stored: null, at };
  }
  const types = pieces.map((piece) => typeOf(given, piece.name));
  // Where types differ all are widened.
  const form = storedForm(types.every((type) => type === types[0]) ? types[0]! : "F32");
  return { name: label, form, values, words: count * rowWords(form, values), stored: pieces, at: 0 };
}

function productOf(given: Given, layer: number, product: Product): PlannedProduct {
  const { parts: matrices, norm } = PRODUCTS[product];
  const at = `model.layers.${layer}.`;
  const pieces = matrices.map((part) => {
    const name = `${at}${part}.weight`;
    return { name, first: 0, count: given.shapes.get(name)!.shape[0]! };
  });
  const rows = rowsOf(given, `${product} ${layer}`, pieces);
  const bytes = 4 * (rows.words + (rows.stored ? 0 : given.slack));
  if (bytes > given.bindingBytes)
    throw new Error(
      `${rows.stored ? "the base's " : ""}${rows.name} needs ${bytes} bytes, a binding of this GPU holds ${given.bindingBytes}`,
    );
  const parts: AdapterPart[] = [];
  const adapters: number[] = [];
  let first = 0;
  for (const { name, count } of pieces) {
    const beside = given.frozen?.adapted.matrices.find(({ matrix }) => matrix.name === name);
    if (beside) {
      const rank = beside.a.shape[0]!;
      parts.push({ first, last: first + count, at: adapters.length * rank, rank });
      adapters.push(beside.a.offset);
    }
    first += count;
  }
  const matrix = { form: rows.form, outputs: first, inputs: rows.values, parts, scale: f32(given.frozen?.adapted.scale ?? 1) };
  return { rows, adapters, matrix, norm: norm && `${at}${norm}.weight` };
}

/** Rows of ids in as many parts as a binding needs. */
function idRows(given: Given, name: string): readonly IdRows[] {
  const { shape } = given.shapes.get(name)!;
  const ids = shape[0]!;
  const whole = rowsOf(given, name, [{ name, first: 0, count: ids }]);
  const words = whole.words / ids;
  const most = Math.floor((given.bindingBytes / 4 - (whole.stored ? 0 : given.slack)) / words);
  const each = most >= 64 ? Math.floor(most / 64) * 64 : most;
  if (each <= 0) throw new Error(`a row of "${name}" needs ${words * 4} bytes, a binding of this GPU holds ${given.bindingBytes}`);
  return Array.from({ length: Math.ceil(ids / each) }, (_, i) => {
    const id = i * each;
    const count = Math.min(each, ids - id);
    return { id, count, rows: rowsOf(given, `${name} ${id}`, [{ name, first: id, count }]) };
  });
}

/** What training moves. */
export const trainedLayout = (config: TransformerConfig, frozen: FrozenBase | null): TensorLayout =>
  frozen?.adapted.layout ?? parameterLayout(config);

/**
 * Lays out a model, all of it trained or beside a frozen base. Throws a sentence where a tensor of the base is missing, has
 * another shape, or anything exceeds a binding.
 */
export function planModel(config: TransformerConfig, frozen: FrozenBase | null, bindingBytes: number): ModelPlan {
  const shapes = byName(parameterLayout(config));
  const layout = trainedLayout(config, frozen);
  const trained = byName(layout);
  const given: Given = { shapes, trained, frozen, slack: windowSlack(sizeOf(layout), bindingBytes), bindingBytes };
  const vectors = new Map<string, number>();
  let vectorWords = 0;
  for (const { name, size, shape } of shapes.values()) {
    if (trained.has(name) || isMatrix({ shape }) || isValueHead(name)) continue;
    typeOf(given, name);
    vectors.set(name, vectorWords);
    vectorWords += size;
  }
  const layers = Array.from({ length: config.layers }, (_, layer) => {
    const one = (product: Product) => productOf(given, layer, product);
    return { qkv: one("qkv"), output: one("output"), gateUp: one("gateUp"), down: one("down") };
  });
  const embedding = idRows(given, "model.embed_tokens.weight");
  return {
    layers,
    embedding,
    trained,
    vectors,
    vectorWords,
    headParts: config,
    head: config.tiedEmbeddings ? embedding : idRows(given, "lm_head.weight"),
    sampledIds: Math.min(frozen?.tokenizerSize ?? config.vocabularySize, config.vocabularySize),
  };
}

/** All rows that lie in buffers of their own, each once. */
export function storedRows({ layers, embedding, head }: ModelPlan): readonly MatrixRows[] {
  const products = layers.flatMap((layer) => PRODUCT_NAMES.map((name) => layer[name].rows));
  return [...products, ...new Set([...embedding, ...head].map(({ rows }) => rows))].filter(({ stored }) => stored !== null);
}

/** Columns of the adapters' inner vectors beside each product; the same in every layer. */
export function innerWidths({ layers }: ModelPlan): Readonly<Record<Product, number>> {
  const width = (name: Product) => layers[0]![name].matrix.parts.reduce((sum, { rank }) => sum + rank, 0);
  return { qkv: width("qkv"), output: width("output"), gateUp: width("gateUp"), down: width("down") };
}

/** Whether queries, keys and values are made in two steps, since something lies between their product and RoPE. */
export const isSplit = ({ headParts }: ModelPlan): boolean => headParts.qkvBias || headParts.headNorm;
