// Reads TensorBoard's event files: records of a length, two checksums and a protocol buffer (tensorflow/core/util/event.proto). Scalars
// are old ones (simple_value) and those that PyTorch and TensorFlow 2 write as tensors of one float.
import type { LogValue } from "./log.ts";

/** A field of a protocol buffer: its number and what it holds. */
interface Field {
  readonly number: number;
  readonly wire: number;
  /** A varint's value, or where the bytes of the others lie. */
  readonly value: number;
  readonly bytes: Uint8Array;
}

const EMPTY = new Uint8Array(0);

/** All fields of a message; stops where its bytes make no sense. */
function fieldsOf(bytes: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 10 && at < bytes.length; i++) {
      const byte = bytes[at++]!;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
    }
    return Number.NaN;
  };
  while (at < bytes.length) {
    const key = varint();
    const number = Math.floor(key / 8);
    const wire = key % 8;
    if (wire === 0) {
      fields.push({ number, wire, value: varint(), bytes: EMPTY });
      continue;
    }
    const size = wire === 1 ? 8 : wire === 5 ? 4 : wire === 2 ? varint() : Number.NaN;
    if (!(at + size <= bytes.length)) return fields;
    fields.push({ number, wire, value: Number.NaN, bytes: bytes.subarray(at, at + size) });
    at += size;
  }
  return fields;
}

const floatOf = (bytes: Uint8Array): number => new DataView(bytes.buffer, bytes.byteOffset).getFloat32(0, true);

/** The number of a TensorProto with one float: in a list of floats (5), or as its bytes (4). */
function tensorValue(bytes: Uint8Array): number | null {
  for (const { number, wire, bytes: inner } of fieldsOf(bytes))
    if ((number === 5 || (number === 4 && wire === 2)) && inner.length === 4) return floatOf(inner);
  return null;
}

/** The scalars of a summary's value: its tag, and its number. */
function scalarOf(bytes: Uint8Array): readonly [tag: string, value: number] | null {
  let tag = "";
  let value: number | null = null;
  for (const field of fieldsOf(bytes)) {
    if (field.number === 1) tag = new TextDecoder().decode(field.bytes);
    if (field.number === 2 && field.wire === 5) value = floatOf(field.bytes);
    if (field.number === 8) value = tensorValue(field.bytes);
  }
  return tag === "" || value === null ? null : [tag, value];
}

const HEAD = 12;
const TAIL = 4;

/** Whether these bytes can be an event file: its first record is short and says its version. */
export function isEventFile(bytes: Uint8Array): boolean {
  if (bytes.length < HEAD) return false;
  return new TextDecoder().decode(bytes.subarray(0, 80)).includes("brain.Event:");
}

/** Scalars by step, in the order in which the steps first came; what a cut-off file begins but does not end is left out. */
export function eventRows(bytes: Uint8Array): readonly { readonly step: number; readonly values: Readonly<Record<string, LogValue>> }[] {
  const rows = new Map<number, Record<string, LogValue>>();
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + HEAD <= bytes.length; ) {
    const size = Number(view.getBigUint64(at, true));
    if (at + HEAD + size + TAIL > bytes.length) break;
    const event = fieldsOf(bytes.subarray(at + HEAD, at + HEAD + size));
    at += HEAD + size + TAIL;
    const step = event.find(({ number, wire }) => number === 2 && wire === 0)?.value ?? 0;
    for (const { bytes: summary } of event.filter(({ number }) => number === 5)) {
      for (const { number, bytes: value } of fieldsOf(summary)) {
        const scalar = number === 1 ? scalarOf(value) : null;
        if (scalar) rows.set(step, { ...rows.get(step), [scalar[0]]: Number.isFinite(scalar[1]) ? scalar[1] : null });
      }
    }
  }
  return [...rows].map(([step, values]) => ({ step, values }));
}
