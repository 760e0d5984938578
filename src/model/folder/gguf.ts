// Reads GGUF files, versions 2 and 3 (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md): metadata by name, then
// tensors, each of one type. What a file says of itself is not believed before its bytes bear it out.
import { shortened, showValue } from "../../protocol/problems.ts";
import { GGML_TYPES, type GgmlType } from "./ggmlTypes.ts";
import type { FileParts } from "./modelFolder.ts";

export type GgufValue = number | boolean | string | readonly GgufValue[];

interface GgufTensor {
  readonly name: string;
  /** Rows before columns, as everywhere here; the file has them the other way round. */
  readonly shape: readonly number[];
  readonly type: GgmlType;
  /** Where its bytes lie in the file. */
  readonly begin: number;
  readonly end: number;
}

export interface GgufHeader {
  readonly metadata: ReadonlyMap<string, GgufValue>;
  readonly tensors: readonly GgufTensor[];
}

const MAGIC = 0x46554747;
const DEFAULT_ALIGNMENT = 32;
const MOST_DIMENSIONS = 4;

const fail = (fault: string): never => {
  throw new Error(`gguf: ${fault}`);
};

/** The bytes at hand end before the header does. */
class HeaderCut extends Error {}

/** Reads one value after the other; a value that would reach beyond the bytes at hand is refused. */
class Reader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;

  /** Of the whole file, of which `bytes` may be the beginning. */
  readonly #fileBytes: number;

  constructor(bytes: Uint8Array, fileBytes: number) {
    this.#fileBytes = fileBytes;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Where the next bytes begin, once they are known to be there. */
  take(bytes: number): number {
    if (bytes > this.#bytes.length - this.at)
      throw new HeaderCut(`gguf: the file ends at byte ${this.#bytes.length}, in the midst of its header`);
    this.at += bytes;
    return this.at - bytes;
  }

  number(type: NumberType): number {
    const { bytes, read } = NUMBERS[type];
    return read(this.#view, this.take(bytes));
  }

  /** A count of what is at least so many bytes each. */
  count(what: string, bytesEach: number): number {
    const count = this.number("u64");
    if (count > (this.#fileBytes - this.at) / bytesEach) fail(`${what} must fit in the file, got ${count}`);
    return count;
  }

  text(what: string): string {
    const length = this.count(`the length of ${what}`, 1);
    const begin = this.take(length);
    try {
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(this.#bytes.subarray(begin, this.at));
    } catch {
      return fail(`${what} must be UTF-8`);
    }
  }
}

type NumberType = "u8" | "i8" | "u16" | "i16" | "u32" | "i32" | "f32" | "u64" | "i64" | "f64";
const number = (bytes: number, read: (view: DataView, at: number) => number) => ({ bytes, read });
const NUMBERS = {
  u8: number(1, (view, at) => view.getUint8(at)),
  i8: number(1, (view, at) => view.getInt8(at)),
  u16: number(2, (view, at) => view.getUint16(at, true)),
  i16: number(2, (view, at) => view.getInt16(at, true)),
  u32: number(4, (view, at) => view.getUint32(at, true)),
  i32: number(4, (view, at) => view.getInt32(at, true)),
  f32: number(4, (view, at) => view.getFloat32(at, true)),
  // Beyond 2^53 it is inexact, and beyond any file.
  u64: number(8, (view, at) => Number(view.getBigUint64(at, true))),
  i64: number(8, (view, at) => Number(view.getBigInt64(at, true))),
  f64: number(8, (view, at) => view.getFloat64(at, true)),
} as const satisfies Readonly<Record<NumberType, unknown>>;

/** By the number that the format gives each type of a value. */
const VALUE_TYPES = ["u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"] as const;

function readValue(reader: Reader, key: string, isInner = false): GgufValue {
  const index = reader.number("u32");
  return readTyped(reader, key, VALUE_TYPES[index] ?? fail(`${key} must have a type below ${VALUE_TYPES.length}, got ${index}`), isInner);
}

function readTyped(reader: Reader, key: string, type: (typeof VALUE_TYPES)[number], isInner: boolean): GgufValue {
  if (type === "bool") return reader.number("u8") !== 0;
  if (type === "string") return reader.text(key);
  if (type !== "array") return reader.number(type);
  if (isInner) return fail(`${key} must not be a list of lists`);
  const index = reader.number("u32");
  const inner = VALUE_TYPES[index] ?? fail(`${key} must have a type below ${VALUE_TYPES.length}, got ${index}`);
  const bytesEach = inner === "bool" ? 1 : inner === "string" ? 8 : inner === "array" ? 12 : NUMBERS[inner].bytes;
  const count = reader.count(`the length of ${key}`, bytesEach);
  return Array.from({ length: count }, () => readTyped(reader, key, inner, true));
}

function readTensor(reader: Reader): Omit<GgufTensor, "end"> {
  const name = reader.text("the name of a tensor");
  const dimensions = reader.number("u32");
  if (dimensions > MOST_DIMENSIONS) fail(`tensor ${showValue(name)} must have at most ${MOST_DIMENSIONS} dimensions, got ${dimensions}`);
  const shape = Array.from({ length: dimensions }, () => reader.number("u64")).reverse();
  const index = reader.number("u32");
  const type = GGML_TYPES.find(({ id }) => id === index);
  if (!type) {
    const known = GGML_TYPES.map((each) => each.name).join(", ");
    return fail(`tensor ${showValue(name)} must be of one of the types ${known}, got the type of number ${index}`);
  }
  return { name, shape, type, begin: reader.number("u64") };
}

/** So much of a file is read for its header at first, and then twice as much each time that this was not all of it. */
const FIRST_BYTES = 2 ** 21;

/** What a file says of itself, of which no more is read than its header and somewhat beyond. Throws "gguf: ..." naming the fault. */
export async function openGguf(file: FileParts): Promise<GgufHeader> {
  for (let length = FIRST_BYTES; ; length *= 2) {
    const isAll = length >= file.size;
    try {
      return readGguf(await file.read(0, isAll ? file.size : length), file.size);
    } catch (error) {
      if (isAll || !(error instanceof HeaderCut)) throw error;
    }
  }
}

/** The same from a file's bytes. @param fileBytes of the whole file, of which `bytes` may be the beginning. */
export function readGguf(bytes: Uint8Array, fileBytes: number = bytes.length): GgufHeader {
  const reader = new Reader(bytes, fileBytes);
  if (bytes.length < 24 || reader.number("u32") !== MAGIC) fail('the file must begin with "GGUF"');
  const version = reader.number("u32");
  if (version !== 2 && version !== 3) fail(`version must be 2 or 3, got ${version}`);
  const tensorCount = reader.count("the number of tensors", 24);
  const keyCount = reader.count("the number of settings", 13);
  const metadata = new Map<string, GgufValue>();
  for (let i = 0; i < keyCount; i++) {
    const key = reader.text("the name of a setting");
    metadata.set(key, readValue(reader, shortened(key)));
  }
  const tensors = Array.from({ length: tensorCount }, () => readTensor(reader));
  const alignment = metadata.get("general.alignment") ?? DEFAULT_ALIGNMENT;
  if (!Number.isInteger(alignment) || (alignment as number) < 1)
    return fail(`general.alignment must be a whole number >= 1, got ${showValue(alignment)}`);
  const dataStart = Math.ceil(reader.at / (alignment as number)) * (alignment as number);
  return { metadata, tensors: tensors.map((tensor) => placed(tensor, dataStart, fileBytes)) };
}

/** A tensor with the place of its bytes, which the file must hold. */
function placed({ name, shape, type, begin }: Omit<GgufTensor, "end">, dataStart: number, fileBytes: number): GgufTensor {
  const values = shape.reduce((product, extent) => product * extent, 1);
  if ((shape.at(-1) ?? 1) % type.values !== 0)
    fail(`tensor ${showValue(name)} of ${type.name} must have rows of a multiple of ${type.values} values, got [${shape.join(", ")}]`);
  const start = dataStart + begin;
  const end = start + (values / type.values) * type.bytes;
  if (!Number.isSafeInteger(end) || end > fileBytes)
    fail(`tensor ${showValue(name)} must end within the file's ${fileBytes} bytes, got ${shortened(`[${shape.join(", ")}]`)} at ${start}`);
  return { name, shape, type, begin: start, end };
}
