// The types that tensors of a GGUF file have here: plain floats, and blocks of 32 values that share a scale
// (ggml-common.h: block_q4_0, block_q4_1, block_q8_0). What a block stands for is exact in float32.
import type { NamedTensor } from "../tensors.ts";
import { fromBfloatBits, fromHalfBits } from "./halfFloat.ts";

export interface GgmlType {
  /** The number that files name it by. */
  readonly id: number;
  readonly name: string;
  /** Values and bytes of a block. */
  readonly values: number;
  readonly bytes: number;
  /** Where in a block the upper sixteen bits of its floats lie, and which of these are a float's exponent. */
  readonly exponents: { readonly at: readonly number[]; readonly mask: number };
  /** Writes the values of the block at `from` to `out` at `to`. */
  readonly read: (view: DataView, from: number, out: Float32Array, to: number) => void;
}

/** The exponent of a float: the same bits in single precision and in bfloat16. */
const OF_SINGLE = 0x7f80;
const OF_HALF = 0x7c00;

const half = (view: DataView, at: number) => fromHalfBits(view.getUint16(at, true));

/** Reads what is no block. */
const float = (valueAt: (view: DataView, at: number) => number) => (view: DataView, from: number, out: Float32Array, to: number) => {
  out[to] = valueAt(view, from);
};

/** Sixteen bytes with the first half of the block's values in their low bits and the second in the high ones. */
function readNibbles(view: DataView, from: number, out: Float32Array, to: number, read: (nibble: number) => number): void {
  for (let i = 0; i < 16; i++) {
    const both = view.getUint8(from + i);
    out[to + i] = read(both & 15);
    out[to + 16 + i] = read(both >> 4);
  }
}

export const GGML_TYPES: readonly GgmlType[] = [
  {
    id: 0,
    name: "F32",
    values: 1,
    bytes: 4,
    exponents: { at: [2], mask: OF_SINGLE },
    read: float((view, at) => view.getFloat32(at, true)),
  },
  { id: 1, name: "F16", values: 1, bytes: 2, exponents: { at: [0], mask: OF_HALF }, read: float(half) },
  {
    id: 2,
    name: "Q4_0",
    values: 32,
    bytes: 18,
    exponents: { at: [0], mask: OF_HALF },
    read(view, from, out, to) {
      const scale = half(view, from);
      readNibbles(view, from + 2, out, to, (nibble) => scale * (nibble - 8));
    },
  },
  {
    id: 3,
    name: "Q4_1",
    values: 32,
    bytes: 20,
    exponents: { at: [0, 2], mask: OF_HALF },
    read(view, from, out, to) {
      const scale = half(view, from);
      const least = half(view, from + 2);
      readNibbles(view, from + 4, out, to, (nibble) => scale * nibble + least);
    },
  },
  {
    id: 8,
    name: "Q8_0",
    values: 32,
    bytes: 34,
    exponents: { at: [0], mask: OF_HALF },
    read(view, from, out, to) {
      const scale = half(view, from);
      for (let i = 0; i < 32; i++) out[to + i] = scale * view.getInt8(from + 2 + i);
    },
  },
  {
    id: 30,
    name: "BF16",
    values: 1,
    bytes: 2,
    exponents: { at: [0], mask: OF_SINGLE },
    read: float((view, at) => fromBfloatBits(view.getUint16(at, true))),
  },
];

/** Whether all that whole blocks of a type stand for is finite: an exponent of ones alone is an infinity's or a NaN's. */
export function hasFiniteValues({ bytes: size, exponents: { at, mask } }: GgmlType, bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let block = 0; block < bytes.length; block += size)
    for (const place of at) if ((view.getUint16(block + place, true) & mask) === mask) return false;
  return true;
}

/** The values that whole blocks of a type stand for. */
function dequantised(type: GgmlType, bytes: Uint8Array): Float32Array {
  const blocks = bytes.length / type.bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const out = new Float32Array(blocks * type.values);
  for (let block = 0; block < blocks; block++) type.read(view, block * type.bytes, out, block * type.values);
  return out;
}

/**
 * A tensor as a file holds it, never widened as a whole. Rows before columns; a row is whole blocks of its type, so
 * rows can be moved as bytes. A frozen base is a set of these.
 */
export interface StoredTensor {
  readonly shape: readonly number[];
  readonly type: GgmlType;
  /** Row after row, block after block. */
  readonly bytes: Uint8Array;
  /** Where they still lie in a file: brings them. `bytes` is empty then. */
  readonly read?: () => Promise<Uint8Array>;
}

/** The tensor with its bytes, wherever they lay. */
export async function broughtIn({ read, ...tensor }: StoredTensor): Promise<StoredTensor> {
  return read ? { ...tensor, bytes: await read() } : tensor;
}

/** By Hugging Face's names. */
export type StoredTensors = ReadonlyMap<string, StoredTensor>;

/** The values that a stored tensor stands for. */
export function widened({ shape, type, bytes }: StoredTensor): NamedTensor<Float32Array> {
  return { shape, data: dequantised(type, bytes) };
}

/** A tensor of single precision as it would be stored: a view of its bytes. */
export function stored({ shape, data }: NamedTensor<Float32Array>): StoredTensor {
  return { shape, type: GGML_TYPES[0]!, bytes: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
