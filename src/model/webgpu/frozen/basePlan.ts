// How a frozen base is laid out on a GPU: which matrices are multiplied as one, in which form, beside which adapters,
// and how embedding and head are cut where a binding cannot hold them. Follows from shapes and types alone, so what a base
// takes is counted from this too.
import type { AdapterPart } from "../../../kernels/webgpu/frozen/gemm.ts";
import type { FrozenMatrix, HeadParts } from "../../../kernels/webgpu/frozen/projections.ts";
import { rowWords, type StoredForm, storedForm } from "../../../kernels/webgpu/frozen/storedForm.ts";
import { wideFrozen } from "../../../kernels/webgpu/frozen/tile.ts";
import { f32 } from "../../../kernels/webgpu/kernel.ts";
import type { AdaptedLayout } from "../../lora/adapters.ts";
import { baseTensor, type FrozenBase, isMatrix } from "../../lora/frozenBase.ts";
import { isValueHead, parameterLayout, type TransformerConfig } from "../../transformerConfig.ts";

/** The products of a layer, in their order, each of matrices whose rows follow each other. */
const PRODUCTS = {
  qkv: ["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
  output: ["self_attn.o_proj"],
  gateUp: ["mlp.gate_proj", "mlp.up_proj"],
  down: ["mlp.down_proj"],
} as const;
export type Product = keyof typeof PRODUCTS;
export const PRODUCT_NAMES = Object.keys(PRODUCTS) as readonly Product[];

/** Matrices of the base with rows one behind the other in one buffer. */
export interface StoredRows {
  /** The buffer's label. */
  readonly name: string;
  readonly form: StoredForm;
  /** Values of a row. */
  readonly values: number;
  /** Which rows of which tensors, in order. */
  readonly pieces: readonly { readonly name: string; readonly first: number; readonly count: number }[];
  readonly words: number;
}

/** A product of one layer: its rows and where the adapters' A lie among the trained weights, in the order of the matrix's parts. */
export interface PlannedProduct {
  readonly rows: StoredRows;
  readonly matrix: FrozenMatrix;
  readonly adapters: readonly number[];
}

/** Ids [id, id + count) of the embedding or the head. */
export interface IdRows {
  readonly rows: StoredRows;
  readonly id: number;
  readonly count: number;
}

export interface BasePlan {
  readonly layers: readonly Readonly<Record<Product, PlannedProduct>>[];
  readonly embedding: readonly IdRows[];
  /** The embedding where they are tied. */
  readonly head: readonly IdRows[];
  /** Norms and biases by name: first word in the buffer of all of them. */
  readonly vectors: ReadonlyMap<string, number>;
  readonly vectorWords: number;
  readonly headParts: HeadParts;
  /** Ids that are sampled. */
  readonly sampledIds: number;
}

const rankOf = ({ matrices }: AdaptedLayout): number => matrices[0]?.a.shape[0] ?? 0;

/** The form that all tensors have, or single precision where they differ. */
function commonForm(types: readonly string[]): StoredForm {
  return storedForm(types.every((type) => type === types[0]) ? types[0]! : "F32");
}

function productOf(config: TransformerConfig, { tensors, adapted }: FrozenBase, layer: number, product: Product): PlannedProduct {
  const names = PRODUCTS[product].map((part) => `model.layers.${layer}.${part}.weight`);
  const shapes = parameterLayout(config);
  const slices = names.map((name) => shapes.find((slice) => slice.name === name)!);
  const values = slices[0]!.shape[1]!;
  const form = commonForm(slices.map(({ name, shape }) => baseTensor(tensors, name, shape).type.name));
  const pieces = slices.map(({ name, shape }) => ({ name, first: 0, count: shape[0]! }));
  const outputs = pieces.reduce((sum, { count }) => sum + count, 0);
  const rank = rankOf(adapted);
  const parts: AdapterPart[] = [];
  const adapters: number[] = [];
  let first = 0;
  for (const { name, count } of pieces) {
    const beside = adapted.matrices.find(({ matrix }) => matrix.name === name);
    if (beside) {
      parts.push({ first, last: first + count, at: adapters.length * rank, rank });
      adapters.push(beside.a.offset);
    }
    first += count;
  }
  const rows = { name: `${product} ${layer}`, form, values, pieces, words: outputs * rowWords(form, values) };
  return { rows, adapters, matrix: { form, outputs, inputs: values, parts, scale: f32(adapted.scale) } };
}

/** Rows of ids in as many buffers as a binding needs. */
function idRows({ tensors }: FrozenBase, name: string, shape: readonly number[], bindingBytes: number): readonly IdRows[] {
  const [ids, values] = shape as readonly [number, number];
  const form = storedForm(baseTensor(tensors, name, shape).type.name);
  const words = rowWords(form, values);
  const most = Math.floor(bindingBytes / 4 / words);
  const each = most >= 64 ? Math.floor(most / 64) * 64 : most;
  if (each === 0) throw new Error(`a row of "${name}" needs ${words * 4} bytes, a binding of this GPU holds ${bindingBytes}`);
  return Array.from({ length: Math.ceil(ids / each) }, (_, i) => {
    const id = i * each;
    const count = Math.min(each, ids - id);
    return { id, count, rows: { name: `${name} ${id}`, form, values, pieces: [{ name, first: id, count }], words: count * words } };
  });
}

/** Lays out a base. Throws a sentence where a tensor is missing, has another shape, or exceeds a binding. */
export function basePlan(config: TransformerConfig, frozen: FrozenBase, bindingBytes: number): BasePlan {
  const trunk = parameterLayout(config).filter(({ name }) => !isValueHead(name));
  const vectors = new Map<string, number>();
  let vectorWords = 0;
  for (const { name, shape, size } of trunk.filter((slice) => !isMatrix(slice))) {
    baseTensor(frozen.tensors, name, shape);
    vectors.set(name, vectorWords);
    vectorWords += size;
  }
  const layers = Array.from({ length: config.layers }, (_, layer) => {
    const one = (product: Product) => productOf(config, frozen, layer, product);
    const planned = { qkv: one("qkv"), output: one("output"), gateUp: one("gateUp"), down: one("down") };
    for (const { rows } of Object.values(planned))
      if (rows.words * 4 > bindingBytes)
        throw new Error(`the base's ${rows.name} needs ${rows.words * 4} bytes, a binding of this GPU holds ${bindingBytes}`);
    return planned;
  });
  const idsOf = (name: string) => {
    const slice = trunk.find((each) => each.name === name)!;
    return idRows(frozen, name, slice.shape, bindingBytes);
  };
  const embedding = idsOf("model.embed_tokens.weight");
  return {
    layers,
    embedding,
    head: config.tiedEmbeddings ? embedding : idsOf("lm_head.weight"),
    vectors,
    vectorWords,
    headParts: config,
    sampledIds: Math.min(frozen.tokenizerSize ?? config.vocabularySize, config.vocabularySize),
  };
}

/** All rows of a base, each buffer once. */
export function allRows({ layers, embedding, head }: BasePlan): readonly StoredRows[] {
  const products = layers.flatMap((layer) => PRODUCT_NAMES.map((name) => layer[name].rows));
  return [...products, ...new Set([...embedding, ...head].map(({ rows }) => rows))];
}

/** Columns of the adapters' inner vectors beside each product; the same in every layer. */
export function innerWidths({ layers }: BasePlan): Readonly<Record<Product, number>> {
  const width = (name: Product) => layers[0]![name].matrix.parts.reduce((sum, { rank }) => sum + rank, 0);
  return { qkv: width("qkv"), output: width("output"), gateUp: width("gateUp"), down: width("down") };
}

/** Most workgroups that share the ids of a row while it is scored. */
const MOST_SHARES = 64;
/** Ids of a block that one part of a row's gradient takes at least. */
const IDS_PER_PART = 1024;
/** Most parts. */
const MOST_PARTS = 8;

/** Shares of the ids of one buffer. */
export const sharesOf = ({ count }: IdRows): number => Math.min(MOST_SHARES, Math.ceil(count / wideFrozen.columns));

/** Shares of all ids: partial results of each scored token. */
export const allShares = ({ head }: BasePlan): number => head.reduce((sum, ids) => sum + sharesOf(ids), 0);

/** In how many parts the gradient of the head's input is summed for blocks of so many ids. */
export const partsOf = (block: number): number => Math.min(MOST_PARTS, Math.ceil(block / IDS_PER_PART));

/** Words that each scored token takes in the largest buffers of a head over rows of so many values. */
export function wordsPerScored(width: number, base: BasePlan): number {
  return Math.max(MOST_PARTS * width, 4 * allShares(base), wideFrozen.columns);
}
