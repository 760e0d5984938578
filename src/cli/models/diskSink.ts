// A file of the hub on its way to the disk: it lies beside its place as NAME.part until it is whole and its SHA-256 is
// the hub's, and is gone on with at the next call.
import { createHash, type Hash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm, stat } from "node:fs/promises";
import { downloadTo } from "../../model/hub/download.ts";
import { Denied, type HubAccess, type HubFile } from "../../model/hub/hub.ts";

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0;
}

async function hashed(path: string, hash: Hash): Promise<Hash> {
  for await (const piece of createReadStream(path)) hash.update(piece as Uint8Array);
  return hash;
}

/** Throws, and leaves nothing to go on with, where a file is not what the hub says. */
async function check({ name, sha256 }: HubFile, path: string, hash: Hash): Promise<void> {
  const found = hash.digest("hex");
  if (sha256 === null || sha256 === found) return;
  await rm(path, { force: true });
  throw new Denied(`${name} came damaged: its SHA-256 must be ${sha256}, got ${found}`);
}

interface Bringing {
  readonly access: HubAccess;
  readonly url: string;
  readonly path: string;
  readonly onBytes: (done: number) => void;
}

/** Brings one file, or what is missing of it; one that is there already is only checked. Throws a sentence. */
export async function bringFile(file: HubFile, { access, url, path, onBytes }: Bringing): Promise<void> {
  const hash = createHash("sha256");
  if ((await sizeOf(path)) === file.bytes) return check(file, path, await hashed(path, hash));
  const part = `${path}.part`;
  // What the hub gives no hash for may be another file's beginning, and is small: it comes anew.
  if (file.sha256 === null || (await sizeOf(part)) > file.bytes) await rm(part, { force: true });
  const begun = await sizeOf(part);
  if (begun > 0) await hashed(part, hash);
  const handle = await open(part, "a");
  try {
    const write = async (chunk: Uint8Array) => {
      hash.update(chunk);
      await handle.appendFile(chunk);
    };
    await downloadTo(access, url, { begun, write }, { what: file.name, bytes: file.bytes, onBytes });
  } finally {
    await handle.close();
  }
  await check(file, part, hash);
  await rename(part, path);
}
