// How the parts of a save are written: a line of JSON, in which every number has its place, and bytes behind it; and how it is known
// that a part is the one that was written, by its SHA-256, which the manifest has.

import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { orThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";

function nameNumbers(_key: string, value: unknown): unknown {
  if (typeof value !== "number" || (Number.isFinite(value) && !Object.is(value, -0))) return value;
  return Object.is(value, -0) ? "-0" : String(value);
}

/** JSON of a value, which `anyNumber` reads back to the bit. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, nameNumbers);

/** The SHA-256 of bytes in hexadecimal digits. */
export const hashOf = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

const LINE_END = 10;

/** A header and bytes as one part. */
export function writePart(header: unknown, payload: Uint8Array): Uint8Array {
  const line = new TextEncoder().encode(`${jsonOf(header)}\n`);
  const part = new Uint8Array(line.length + payload.length);
  part.set(line);
  part.set(payload, line.length);
  return part;
}

/** Takes a part apart; throws a sentence with its name where it does not begin with a header. */
export function readPart(part: Uint8Array, name: string): { readonly header: unknown; readonly payload: Uint8Array } {
  const end = part.indexOf(LINE_END);
  return orThrow(
    () => ({ header: JSON.parse(new TextDecoder().decode(part.subarray(0, Math.max(0, end)))), payload: part.subarray(end + 1) }),
    (cause) => new Error(`${name} is damaged: it does not begin as a part of a saved run does`, { cause }),
  );
}

/** What a manifest says of a part. */
export const partSchema = z.strictObject({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
export type PartFacts = z.output<typeof partSchema>;

export const factsOf = (part: Uint8Array): PartFacts => ({ bytes: part.length, sha256: hashOf(part) });

/** A part that is the one which was written; throws a sentence with its name where it is not, or not there. */
export function checkedPart(name: string, part: Uint8Array | undefined, { bytes, sha256: hash }: PartFacts): Uint8Array {
  if (!part) throw new Error(`${name} is missing`);
  if (part.length !== bytes) throw new Error(`${name} is cut short or added to: it must have ${bytes} bytes, got ${part.length}`);
  if (hashOf(part) !== hash) throw new Error(`${name} is damaged: its hash is not that of its contents`);
  return part;
}
