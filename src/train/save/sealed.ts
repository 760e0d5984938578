// One file of a save that describes itself: a line of text with a checksum of all that follows, a JSON
// header, and bytes. A flipped bit anywhere is found before anything of the file is used. The checksum is that of
// ZIP and PNG (CRC-32, reflected polynomial 0xEDB88320), eight bytes at a time with eight tables (Intel's
// "slicing by 8"), since a checkpoint can have hundreds of megabytes.

import { isRecord } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";

const LINE = /^rollout-lab ([0-9a-f]{8}) (\d{1,10})\n$/;
/** Up to where the first line must have ended, and where the part under the checksum begins. */
const LONGEST_LINE = 32;
const SEALED_FROM = "rollout-lab 00000000".length;

const NOT_IN_JSON = ["NaN", "Infinity", "-Infinity", "-0"] as const;

/** A number in a header; those that JSON lacks are written as their names. */
export const anyNumber: z.ZodType<number> = z.union([z.number(), z.enum(NOT_IN_JSON).transform(Number)]);

function nameNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || (Number.isFinite(value) && !Object.is(value, -0))) return value;
  return Object.is(value, -0) ? "-0" : String(value);
}

/** A header and bytes as one file. */
export function seal(header: unknown, payload: Uint8Array = new Uint8Array(0)): Uint8Array {
  const json = new TextEncoder().encode(JSON.stringify(header, nameNumbers));
  const line = new TextEncoder().encode(`rollout-lab 00000000 ${json.length}\n`);
  const file = new Uint8Array(line.length + json.length + payload.length);
  file.set(line);
  file.set(json, line.length);
  file.set(payload, line.length + json.length);
  const checksum = crc32(file.subarray(SEALED_FROM)).toString(16).padStart(8, "0");
  file.set(new TextEncoder().encode(checksum), SEALED_FROM - 8);
  return file;
}

export interface Unsealed {
  readonly header: unknown;
  readonly payload: Uint8Array;
}

/** Takes a file apart; throws a sentence with its name where it is not as it was written, or not of this format. */
export function unseal(file: Uint8Array, name: string, format: string): Unsealed {
  const end = file.subarray(0, LONGEST_LINE).indexOf(10) + 1;
  const match = LINE.exec(new TextDecoder().decode(file.subarray(0, end)));
  if (!match) throw new Error(`${name} is damaged: it does not begin as a file of a saved run does`);
  if (crc32(file.subarray(SEALED_FROM)) !== Number.parseInt(match[1]!, 16))
    throw new Error(`${name} is damaged or cut short: its checksum is not that of its contents`);
  const from = end + Number(match[2]);
  let header: unknown;
  try {
    header = JSON.parse(new TextDecoder().decode(file.subarray(end, from)));
  } catch (error) {
    throw new Error(`${name} is damaged: its header is not JSON`, { cause: error });
  }
  if (!isRecord(header) || header.format !== format) throw new Error(`${name} holds something else than it should, no ${format}`);
  return { header, payload: file.subarray(from) };
}

function makeTables(): readonly Uint32Array[] {
  const tables = Array.from({ length: 8 }, () => new Uint32Array(256));
  const first = tables[0]!;
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
    first[byte] = crc;
  }
  for (let table = 1; table < 8; table++)
    for (let byte = 0; byte < 256; byte++) {
      const before = tables[table - 1]![byte]!;
      tables[table]![byte] = (before >>> 8) ^ first[before & 255]!;
    }
  return tables;
}

const [T0, T1, T2, T3, T4, T5, T6, T7] = makeTables() as [
  ...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
  ...[Uint32Array, Uint32Array, Uint32Array, Uint32Array],
];

/** CRC-32 of bytes, an unsigned whole number. */
export function crc32(bytes: Uint8Array): number {
  const { length } = bytes;
  let crc = 0xffffffff;
  let i = 0;
  for (; i + 8 <= length; i += 8) {
    crc ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    crc =
      T7[crc & 255]! ^
      T6[(crc >>> 8) & 255]! ^
      T5[(crc >>> 16) & 255]! ^
      T4[crc >>> 24]! ^
      T3[bytes[i + 4]!]! ^
      T2[bytes[i + 5]!]! ^
      T1[bytes[i + 6]!]! ^
      T0[bytes[i + 7]!]!;
  }
  for (; i < length; i++) crc = (crc >>> 8) ^ T0[(crc ^ bytes[i]!) & 255]!;
  return (crc ^ 0xffffffff) >>> 0;
}
