// A file of the hub on its way to the disk: it lies beside its place as NAME.part until it is whole and its hash is
// the hub's, and is gone on with at the next call.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { downloadTo } from "../../model/hub/download.ts";
import type { HubAccess, HubFile } from "../../model/hub/hub.ts";
import { type HashOf, type PromisedContent, promisedContent } from "../../model/hub/promised.ts";
import { foundAt } from "../lab/exit.ts";

const sizeOf = async (path: string): Promise<number> => (await foundAt(path))?.size ?? 0;

const hashOf: HashOf = (name) => {
  const hash = createHash(name);
  return { update: (bytes) => hash.update(bytes), hex: () => hash.digest("hex") };
};

async function hashed(path: string, content: PromisedContent): Promise<PromisedContent> {
  for await (const piece of createReadStream(path)) content.update(piece as Uint8Array);
  return content;
}

/** Throws, and leaves nothing to go on with, where a file is not what the hub says. */
async function check(path: string, content: PromisedContent): Promise<void> {
  try {
    content.end();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

interface Bringing {
  readonly access: HubAccess;
  readonly url: string;
  readonly path: string;
  readonly onBytes: (done: number) => void;
}

/** Brings one file, or what is missing of it; one that is there already is only checked. Throws a sentence. */
export async function bringFile(file: HubFile, { access, url, path, onBytes }: Bringing): Promise<void> {
  const promised = file.sha256 ?? file.blob ?? null;
  const begin = () => promisedContent(file, promised, hashOf);
  if (promised !== null && (await sizeOf(path)) === file.bytes) return check(path, await hashed(path, begin()));
  const part = `${path}.part`;
  // What the hub gives no hash for may be another file's beginning, and is small: it comes anew.
  if (promised === null || (await sizeOf(part)) > file.bytes) await rm(part, { force: true });
  const begun = await sizeOf(part);
  let content = begin();
  if (begun > 0) await hashed(part, content);
  const handle = await open(part, "a");
  const write = async (chunk: Uint8Array) => {
    content.update(chunk);
    await handle.appendFile(chunk);
  };
  const restart = async () => {
    content = begin();
    await handle.truncate(0);
  };
  try {
    await downloadTo(
      access,
      url,
      { begun, write, restart },
      { what: file.name, bytes: file.bytes, isPromised: promised !== null, onBytes },
    );
  } finally {
    await handle.close();
    if ((await sizeOf(part)) === 0 && file.bytes > 0) await rm(part);
  }
  await check(part, content);
  await rename(part, path);
}
