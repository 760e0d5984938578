// Contents of models under their hashes, in the browser's own file system.
import { sha1 } from "@noble/hashes/legacy.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { HashOf } from "../../src/model/hub/promised.ts";
import { hasContent } from "./keptFiles.ts";
import { moveTo, writeAnew, writeWhole } from "./writeFiles.ts";

type Folder = FileSystemDirectoryHandle;

/** Gives a part that is whole now the name of its content, of which one copy is kept. */
export async function renameTo(folder: Folder, part: string, name: string): Promise<void> {
  const { size } = await (await folder.getFileHandle(part)).getFile();
  if (await hasContent(folder, name, size)) await folder.removeEntry(part);
  else await moveTo(folder, part, name);
}

/** Keeps bytes under their hash. */
export async function keepBytes(folder: Folder, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const name = bytesToHex(sha256(bytes));
  if (!(await hasContent(folder, name, bytes.length))) await writeWhole(folder, name, bytes);
  return name;
}

export const hashOf: HashOf = (name) => {
  const hash = (name === "sha1" ? sha1 : sha256).create();
  return { update: (bytes) => hash.update(bytes), hex: () => bytesToHex(hash.digest()) };
};

/** Copies a file piece by piece and gives its hash. */
export async function copyIn(folder: Folder, part: string, blob: Blob, onBytes: (bytes: number) => void): Promise<string> {
  const hash = sha256.create();
  const pieces = async function* () {
    for (let at = 0; at < blob.size; at += 2 ** 22) {
      const piece = new Uint8Array(await blob.slice(at, at + 2 ** 22).arrayBuffer());
      hash.update(piece);
      yield piece;
      onBytes(at + piece.length);
    }
  };
  await writeAnew(folder, part, pieces());
  const name = bytesToHex(hash.digest());
  await renameTo(folder, part, name);
  return name;
}
