// Metrics as a TensorBoard event file: a series of records, each a length and a protocol buffer with masked
// CRC-32C checksums (tensorflow/core/lib/io/record_writer.h, tensorflow/core/util/event.proto). Only what
// scalars need is written: Event { wall_time = 1, step = 2, file_version = 3, summary = 5 }, Summary { value =
// 1 }, Value { tag = 1, simple_value = 2 }.
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";

/** A field of a protocol buffer; a message is its fields end to end. */
const field = (number: number, type: WireType, write: (writer: BinaryWriter) => BinaryWriter): readonly number[] =>
  Array.from(write(new BinaryWriter().tag(number, type)).finish());

/** A whole number >= 0. */
export const numberField = (number: number, value: number) => field(number, WireType.Varint, (writer) => writer.uint64(value));

/** A message within another. */
export const lengthField = (number: number, bytes: readonly number[]) =>
  field(number, WireType.LengthDelimited, (writer) => writer.bytes(Uint8Array.from(bytes)));

export const textField = (number: number, value: string) => field(number, WireType.LengthDelimited, (writer) => writer.string(value));

/** A cyclic redundancy check of 32 bits. @param polynomial reflected */
function checksum(polynomial: number): (bytes: Uint8Array) => number {
  const table = Uint32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1;
    return crc;
  });
  return (bytes) => {
    let crc = 0xffffffff;
    for (const byte of bytes) crc = table[(crc ^ byte) & 0xff]! ^ (crc >>> 8);
    return (crc ^ 0xffffffff) >>> 0;
  };
}

/** CRC-32, as ZIP and PNG have it. */
export const crc32 = checksum(0xedb88320);

/** CRC-32C (Castagnoli). */
export const crc32c = checksum(0x82f63b78);

/** The checksum as records carry it, turned and shifted, since checksums of checksums are weak. */
function maskedCrc(bytes: Uint8Array): number {
  const crc = crc32c(bytes);
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}

function valueMessage(tag: string, value: number): readonly number[] {
  return [...textField(1, tag), ...field(2, WireType.Bit32, (writer) => writer.float(Math.fround(value)))];
}

function record(message: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(12 + message.length + 4);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, BigInt(message.length), true);
  view.setUint32(8, maskedCrc(bytes.subarray(0, 8)), true);
  bytes.set(message, 12);
  view.setUint32(12 + message.length, maskedCrc(bytes.subarray(12, 12 + message.length)), true);
  return bytes;
}

/** The scalars of one step. */
export interface ScalarEvent {
  readonly step: number;
  /** Seconds since 1970. */
  readonly wallTime: number;
  readonly values: Readonly<Record<string, number>>;
}

const timeField = (seconds: number) => field(1, WireType.Bit64, (writer) => writer.double(seconds));

/** The record that an event file begins with. */
export function eventHead(wallTime: number): Uint8Array {
  return record([...timeField(wallTime), ...textField(3, "brain.Event:2")]);
}

/** The record of one step; values that are not finite are left out. */
export function eventRecord({ step, wallTime, values }: ScalarEvent): Uint8Array {
  const known = Object.entries(values).filter(([, value]) => Number.isFinite(value));
  const summary = known.flatMap(([tag, value]) => lengthField(1, valueMessage(tag, value)));
  return record([...timeField(wallTime), ...numberField(2, step), ...lengthField(5, summary)]);
}
