// Reads and writes safetensors files (https://github.com/huggingface/safetensors, "Format"): 8 bytes
// little-endian header length n, n bytes of JSON, then the tensors' bytes. Values are widened to
// float32 on reading and narrowed on writing; a file that cannot be right is refused with its fault.
import { errorText, isRecord, orThrow, shortened, showValue } from "../../protocol/problems.ts";
import type { NamedTensor } from "../tensors.ts";
import { GGML_TYPES, type GgmlType, type StoredTensor, widened } from "./ggmlTypes.ts";
import { toBfloatBits, toHalfBits } from "./halfFloat.ts";
import type { FileParts } from "./modelFolder.ts";

export type FloatDtype = "F32" | "F16" | "BF16";

export interface WriteOptions {
  readonly dtype: FloatDtype;
  /** Extra strings of the header's `__metadata__`, beside `format: "pt"`. */
  readonly metadata?: Readonly<Record<string, string>>;
}

const bytesPerValue: Readonly<Record<FloatDtype, number>> = { F32: 4, F16: 2, BF16: 2 };
/** The reference implementation's own limit. */
const maxHeaderBytes = 100_000_000;

/**
 * All tensors of a file, in the header's order, as float32.
 * Throws "safetensors: ..." naming the fault: truncation, a bad header, a tensor's dtype, shape or offsets.
 */
export function readSafetensors(bytes: Uint8Array): Map<string, NamedTensor<Float32Array>> {
  return new Map([...storedSafetensors(bytes)].map(([name, tensor]) => [name, widened(tensor)]));
}

function storedSafetensors(bytes: Uint8Array): Map<string, StoredTensor> {
  const length = headerLength(bytes, bytes.length);
  const placed = placedTensors(bytes.subarray(8, 8 + length), bytes.length - 8 - length);
  const data = bytes.subarray(8 + length);
  return new Map(placed.map(({ name, shape, type, begin, end }) => [name, { shape, type, bytes: data.subarray(begin, end) }]));
}

/** A file's tensors, whose bytes stay in it until they are read; of the file its header alone is read. Throws as readSafetensors does. */
export async function openSafetensors(file: FileParts): Promise<Map<string, StoredTensor>> {
  const length = headerLength(await file.read(0, Math.min(8, file.size)), file.size);
  const start = 8 + length;
  const placed = placedTensors(await file.read(8, start), file.size - start);
  return new Map(
    placed.map(({ name, shape, type, begin, end }) => [
      name,
      { shape, type, bytes: new Uint8Array(0), read: () => file.read(start + begin, start + end) },
    ]),
  );
}

/** A tensor and where its bytes lie behind the header. */
interface PlacedTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: GgmlType;
  readonly begin: number;
  readonly end: number;
}

function placedTensors(headerBytes: Uint8Array, dataBytes: number): readonly PlacedTensor[] {
  const header: unknown = orThrow(
    () => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(headerBytes)),
    (error) => new Error(`safetensors: header is not JSON (${errorText(error)})`),
  );
  if (!isRecord(header)) throw new Error("safetensors: header must be a JSON object");
  const entries = Object.entries(header).filter(([name]) => name !== "__metadata__");
  const placed = entries.map(([name, entry]) => {
    const { dtype, shape, begin, end } = readEntry(name, entry, dataBytes);
    return { name, shape, begin, end, type: GGML_TYPES.find((type) => type.name === dtype)! };
  });
  checkSpans([...placed], dataBytes);
  return placed;
}

/** Bytes of the header, from the file's first eight. */
function headerLength(bytes: Uint8Array, fileBytes: number): number {
  if (fileBytes < 8) throw new Error(`safetensors: file must have at least 8 bytes, got ${fileBytes}`);
  const length = Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0, true));
  if (length > maxHeaderBytes) throw new Error(`safetensors: header length must be <= ${maxHeaderBytes}, got ${length}`);
  if (8 + length > fileBytes) throw new Error(`safetensors: header length is ${length} but only ${fileBytes - 8} bytes follow it`);
  return length;
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;

function readEntry(name: string, entry: unknown, dataBytes: number) {
  const fail = (fault: string): never => {
    throw new Error(`safetensors: tensor ${showValue(name)}: ${fault}`);
  };
  if (!isRecord(entry)) return fail("entry must be an object");
  const { dtype, shape, data_offsets: offsets } = entry;
  if (dtype !== "F32" && dtype !== "F16" && dtype !== "BF16") return fail(`dtype must be one of F32, F16, BF16, got ${showValue(dtype)}`);
  if (!Array.isArray(shape) || !shape.every(isCount)) return fail(`shape must be whole numbers >= 0, got ${showValue(shape)}`);
  if (!Array.isArray(offsets) || offsets.length !== 2 || !offsets.every(isCount)) {
    return fail(`data_offsets must be two whole numbers >= 0, got ${showValue(offsets)}`);
  }
  const [begin, end] = offsets as [number, number];
  if (begin > end) return fail(`data_offsets must not run backwards, got [${begin}, ${end}]`);
  if (end > dataBytes) return fail(`data_offsets end at byte ${end}, but the file holds only ${dataBytes} bytes of data`);
  const expected = shape.reduce((product: number, extent: number) => product * extent, 1) * bytesPerValue[dtype];
  if (end - begin !== expected)
    return fail(`shape ${shortened(`[${shape.join(", ")}]`)} of ${dtype} needs ${expected} bytes, data_offsets span ${end - begin}`);
  return { dtype: dtype as FloatDtype, shape: shape as readonly number[], begin, end };
}

/** The format demands that tensors cover the data without overlaps or holes. */
function checkSpans(spans: { name: string; begin: number; end: number }[], dataBytes: number): void {
  let reached = 0;
  for (const { name, begin, end } of spans.sort((a, b) => a.begin - b.begin || a.end - b.end)) {
    if (begin !== reached)
      throw new Error(`safetensors: tensor ${showValue(name)} begins at byte ${begin}, expected ${reached} (overlap or hole)`);
    reached = end;
  }
  if (reached !== dataBytes) throw new Error(`safetensors: tensors cover ${reached} bytes, but the file holds ${dataBytes} bytes of data`);
}

/**
 * A file with these tensors in order of insertion. Halves are rounded to nearest, ties to even; values
 * past a half's range become infinity. Throws when a tensor's data does not fill its shape.
 */
export function writeSafetensors(tensors: ReadonlyMap<string, NamedTensor<Float32Array>>, options: WriteOptions): Uint8Array<ArrayBuffer> {
  const { dtype, metadata = {} } = options;
  const header: Record<string, unknown> = { __metadata__: { format: "pt", ...metadata } };
  let dataBytes = 0;
  for (const [name, { shape, data }] of tensors) {
    const size = shape.reduce((product, extent) => product * extent, 1);
    if (size !== data.length)
      throw new Error(`safetensors: tensor "${name}": shape [${shape.join(", ")}] needs ${size} values, got ${data.length}`);
    if (name === "__metadata__") throw new Error('safetensors: a tensor cannot be named "__metadata__"');
    const end = dataBytes + size * bytesPerValue[dtype];
    header[name] = { dtype, shape, data_offsets: [dataBytes, end] };
    dataBytes = end;
  }
  const json = new TextEncoder().encode(JSON.stringify(header));
  const headerBytes = Math.ceil(json.length / 8) * 8;
  const file = new Uint8Array(8 + headerBytes + dataBytes);
  new DataView(file.buffer).setBigUint64(0, BigInt(headerBytes), true);
  file.fill(0x20, 8, 8 + headerBytes);
  file.set(json, 8);
  let offset = 8 + headerBytes;
  for (const { data } of tensors.values()) {
    file.set(narrow(data, dtype), offset);
    offset += data.length * bytesPerValue[dtype];
  }
  return file;
}

function narrow(data: Float32Array, dtype: FloatDtype): Uint8Array {
  if (dtype === "F32") return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return new Uint8Array(Uint16Array.from(data, dtype === "F16" ? toHalfBits : toBfloatBits).buffer);
}
