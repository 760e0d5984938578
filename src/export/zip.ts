// Several files as one, to be downloaded: a ZIP archive without compression (APPNOTE 6.3.10: local headers with their
// bytes, the central directory, its end), names in UTF-8. Up to 4 GiB in all, as everything that a page exports is.

import type { ModelFile } from "../protocol/messages.ts";
import { crc32 } from "../train/save/sealed.ts";

const LOCAL = 0x04034b50;
const CENTRAL = 0x02014b50;
const END = 0x06054b50;
/** Version 2.0, names in UTF-8, stored; the first day that the form knows, so that equal files give equal archives. */
const FIXED = [20, 0x0800, 0, 0, 0x0021] as const;

/** Numbers as little endian, of two bytes each where named so, else of four. */
function packed(fields: readonly (readonly [bytes: 2 | 4, value: number])[]): Uint8Array {
  const array = new Uint8Array(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  const view = new DataView(array.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return array;
}

/** What both headers of a file share, from the version to the length of its name. */
function commonFields(name: Uint8Array, bytes: Uint8Array): readonly (readonly [2 | 4, number])[] {
  const fixed = FIXED.map((value) => [2, value] as const);
  return [...fixed, [4, crc32(bytes)], [4, bytes.length], [4, bytes.length], [2, name.length], [2, 0]];
}

/** The archive, in parts that lie one behind another. */
export function zipOf(files: readonly ModelFile[]): readonly Uint8Array[] {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const lengthOf = (all: readonly Uint8Array[]) => all.reduce((sum, { length }) => sum + length, 0);
  for (const { name: text, bytes } of files) {
    const name = new TextEncoder().encode(text);
    const common = commonFields(name, bytes);
    const at = lengthOf(parts);
    // Made by version 2.0; no comment, one disk, no attributes.
    directory.push(packed([[4, CENTRAL], [2, 20], ...common, [2, 0], [2, 0], [2, 0], [4, 0], [4, at]]), name);
    parts.push(packed([[4, LOCAL], ...common]), name, bytes);
  }
  const [start, size, count] = [lengthOf(parts), lengthOf(directory), files.length];
  return [
    ...parts,
    ...directory,
    packed([
      [4, END],
      [2, 0],
      [2, 0],
      [2, count],
      [2, count],
      [4, size],
      [4, start],
      [2, 0],
    ]),
  ];
}
