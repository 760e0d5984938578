// Brings the weights of a model from the hub into the browser's own file system; it goes on where it was broken off or the
// page was left.
import { downloadTo } from "../../src/model/hub/download.ts";
import { Denied, fileAddress } from "../../src/model/hub/hub.ts";
import { promisedContent } from "../../src/model/hub/promised.ts";
import { type KeptFile, type KeptModel, sizeOfModel } from "../../src/protocol/models/keptModels.ts";
import { hashOf, renameTo } from "./contents.ts";
import { hub } from "./hubAccess.ts";

type Folder = FileSystemDirectoryHandle;

/** Brings one file into its part, checks it, and gives its hash. */
async function bringFile(folder: Folder, part: string, url: string, file: KeptFile, onBytes: (done: number) => void, signal: AbortSignal) {
  const handle = await (await folder.getFileHandle(part, { create: true })).createSyncAccessHandle();
  const { promised } = file;
  const begin = () => ({ named: hashOf("sha256"), content: promisedContent(file, promised, hashOf) });
  let hashed = begin();
  const update = (bytes: Uint8Array) => {
    hashed.content.update(bytes);
    // A content has its SHA-256 as its name, whatever was promised.
    if (promised?.length === 40) hashed.named.update(bytes);
  };
  const restart = () => {
    handle.truncate(0);
    hashed = begin();
  };
  try {
    const begun = promised === null ? 0 : Math.min(handle.getSize(), file.bytes);
    handle.truncate(begun);
    const piece = new Uint8Array(2 ** 20);
    for (let at = 0; at < begun; at += piece.length) update(piece.subarray(0, handle.read(piece.subarray(0, begun - at), { at })));
    const write = (chunk: Uint8Array, at: number) => {
      if (handle.write(chunk as Uint8Array<ArrayBuffer>, { at }) < chunk.length)
        throw new Denied("the browser's storage for this page is full");
      update(chunk);
    };
    const options = { what: file.name, bytes: file.bytes, isPromised: promised !== null, signal, onBytes };
    await downloadTo(hub, url, { begun, write, restart }, options);
    const found = hashed.content.end();
    return promised?.length === 40 ? hashed.named.hex() : found;
  } catch (error) {
    // What came damaged, or as something else, is nothing to go on with.
    if (error instanceof Denied && handle.getSize() === file.bytes) handle.truncate(0);
    throw error;
  } finally {
    handle.close();
  }
}

/** Brings what is missing of a model; told after each file, so that nothing is brought twice. */
export async function bringModel(
  folder: Folder,
  model: KeptModel,
  { keep, onBytes, signal }: { keep: (model: KeptModel) => Promise<void>; onBytes: (done: number) => void; signal: AbortSignal },
): Promise<void> {
  let { files } = model;
  const { source } = model;
  if (source?.commit == null) throw new Error(`${model.name} is not of the hub`);
  for (const file of model.files.filter((each) => each.sha256 === null)) {
    const before = sizeOfModel({ files: files.filter((each) => each.sha256 !== null) });
    const part = `${model.name}~${file.name}`;
    const url = fileAddress(hub.base, { repository: source.repository, commit: source.commit }, file.name);
    const found = await bringFile(folder, part, url, file, (done) => onBytes(before + done), signal);
    await renameTo(folder, part, found);
    files = files.map((each) => (each === file ? { ...each, sha256: found, head: null } : each));
    await keep({ ...model, files });
  }
}
