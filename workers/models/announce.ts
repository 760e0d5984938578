// Asks the hub what a model is, and keeps what is small of it, so that it can be judged before its weights are brought; and opens the
// tokenizer of one whose weights stay on a server.
import { readModelConfig } from "../../src/model/folder/configFile.ts";
import { folderOf, type ModelFolder } from "../../src/model/folder/modelFolder.ts";
import { openSafetensors } from "../../src/model/folder/safetensors.ts";
import { downloadTo } from "../../src/model/hub/download.ts";
import { Denied, describeHubModel, fileAddress, type HubFile, type HubModel } from "../../src/model/hub/hub.ts";
import { promisedContent } from "../../src/model/hub/promised.ts";
import { parameterCount } from "../../src/model/transformerConfig.ts";
import type { KeptFile, KeptModel } from "../../src/protocol/models/keptModels.ts";
import { type HubName, TOKENIZER_CACHE, tokenizerAddresses } from "../../src/protocol/models/servedServer.ts";
import { hashOf, keepBytes } from "./contents.ts";
import { headOf, hub, SMALL_BYTES } from "./hubAccess.ts";
import { fileIn } from "./keptFiles.ts";

/** A small file, whole and as it was promised. */
async function smallFile(url: string, file: HubFile, what: string): Promise<Uint8Array<ArrayBuffer>> {
  const brought = new Uint8Array(file.bytes);
  const promised = file.sha256 ?? file.blob ?? null;
  const sink = { begun: 0, write: (chunk: Uint8Array, at: number) => brought.set(chunk, at), restart: () => {} };
  await downloadTo(hub, url, sink, { what, bytes: file.bytes, isPromised: promised !== null, onBytes: () => {} });
  const content = promisedContent({ ...file, name: what }, promised, hashOf);
  content.update(brought);
  content.end();
  return brought;
}

const isWeights = (name: string) => name.endsWith(".safetensors");
type Folder = FileSystemDirectoryHandle;

async function announced(folder: Folder, model: HubModel, file: HubFile): Promise<KeptFile> {
  const { name, bytes, sha256, blob = null } = file;
  const url = fileAddress(hub.base, model, name);
  const what = `${name} of ${model.repository}`;
  const entry = { name, bytes, sha256: null, promised: sha256 ?? blob, head: null };
  if (isWeights(name)) {
    const head = await headOf(url, what, bytes);
    // Whatever else came in its place is no beginning of weights.
    await openSafetensors({ size: bytes, read: async (begin, end) => head.subarray(begin, end) });
    return { ...entry, head: await keepBytes(folder, head) };
  }
  if (bytes > SMALL_BYTES) throw new Denied(`${what} has ${bytes} bytes, more than ${SMALL_BYTES}`);
  return { ...entry, sha256: await keepBytes(folder, await smallFile(url, file, what)) };
}

/** Asks what a model is and keeps what is small of it. */
export async function announceModel(folder: Folder, name: string, repository: string, revision: string): Promise<KeptModel> {
  const model = await describeHubModel(hub, repository, revision);
  const files: KeptFile[] = [];
  for (const file of model.files) files.push(await announced(folder, model, file));
  const { commit, licence } = model;
  const text = await (await fileIn(folder, files.find((file) => file.name === "config.json")!.sha256!))!.text();
  const config = readModelConfig(text);
  const source = { repository, revision, commit, licence };
  return { name, source, files, context: config.maxPositions, parameters: parameterCount(config) };
}

/** The folder of a tokenizer that the page has brought; null where it is not here. */
export async function openKeptTokenizer(name: HubName): Promise<ModelFolder | null> {
  if (typeof caches === "undefined") return null;
  const cache = await caches.open(TOKENIZER_CACHE);
  const addresses = tokenizerAddresses(name, hub.base);
  const kept = await Promise.all(addresses.map(async (file) => [file, await cache.match(file.url)] as const));
  const bytes = new Map<string, Uint8Array>();
  for (const [{ name: file, mayLack }, response] of kept) {
    if (response) bytes.set(file, new Uint8Array(await response.arrayBuffer()));
    else if (!mayLack) return null;
  }
  return folderOf(async (file) => bytes.get(file) ?? Promise.reject(new Error(`${file} is not here: the weights are on their server`)));
}
