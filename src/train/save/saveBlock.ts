// The files of a save as one block of bytes, to be downloaded: the length of a JSON list of names and
// lengths (8 bytes, little-endian), that list, and the files back to back.
import type { SaveFiles } from "./readSave.ts";

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
