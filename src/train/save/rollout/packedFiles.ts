// The files of a save back to back, as one block of bytes: what a page downloads, and what a recording has compressed.

import { z } from "../../../protocol/zod.ts";
import { LABEL } from "../../host.ts";
import { KEPT_FOLDER } from "../kept/groupFile.ts";
import { LOG_FOLDER } from "../log/logFile.ts";
import { MANIFEST } from "../manifest.ts";
import type { SaveFiles } from "../readSave.ts";

/** Before the SHA-256 of data that a run trains on. */
export const DATA_FOLDER = "data/";

/** Names of the files of a save, as the lab writes them: nothing else is taken from elsewhere. */
export const ARRAY_NAME = new RegExp(
  `^(?:${MANIFEST}|${LABEL}|${LOG_FOLDER}\\d+|checkpoint/\\d+/[a-z]+\\.[a-z]+|${KEPT_FOLDER}\\d+|${DATA_FOLDER}[0-9a-f]{64})$`,
);

/** The files of a save as one block of bytes: the length of a JSON list of names and lengths (8 bytes, little-endian), that list, and the files back to back. */
export function packFiles(files: SaveFiles): Uint8Array {
  const list = [...files].map(([name, { length }]) => ({ name, length }));
  const json = new TextEncoder().encode(JSON.stringify(list));
  const block = new Uint8Array(8 + json.length + list.reduce((sum, { length }) => sum + length, 0));
  new DataView(block.buffer).setBigUint64(0, BigInt(json.length), true);
  block.set(json, 8);
  let offset = 8 + json.length;
  for (const bytes of files.values()) {
    block.set(bytes, offset);
    offset += bytes.length;
  }
  return block;
}

const listSchema = z.array(z.strictObject({ name: z.string().min(1), length: z.int().min(0) }));

/** The files of such a block. Throws a sentence where it is none, or was cut short. */
export function unpackFiles(block: Uint8Array): SaveFiles {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const length = block.length < 8 ? -1 : Number(view.getBigUint64(0, true));
  if (length < 0 || length > block.length - 8) throw new Error("it is no saved run, or was cut short");
  let list: z.output<typeof listSchema>;
  try {
    list = listSchema.parse(JSON.parse(new TextDecoder().decode(block.subarray(8, 8 + length))));
  } catch (error) {
    throw new Error("it is no saved run: it does not begin with a list of files", { cause: error });
  }
  const files = new Map<string, Uint8Array>();
  let offset = 8 + length;
  for (const { name, length: size } of list) {
    files.set(name, block.slice(offset, offset + size));
    offset += size;
  }
  if (offset !== block.length) throw new Error(`the saved run must have ${offset} bytes, got ${block.length}`);
  return files;
}
