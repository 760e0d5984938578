// Asks the hub what a model is, and keeps what is small of it, so that it can be judged before its weights are brought; and opens the
// tokenizer of one whose weights stay on a server.
import { readModelConfig } from "../../src/model/folder/configFile.ts";
import { folderOf, type ModelFolder } from "../../src/model/folder/modelFolder.ts";
import { answerOf, Denied, describeHubModel, fileAddress, type HubAccess, type HubFile, type HubModel } from "../../src/model/hub/hub.ts";
import { parameterCount } from "../../src/model/transformerConfig.ts";
import type { KeptFile, KeptModel } from "../../src/protocol/models/keptModels.ts";
import { type HubName, TOKENIZER_CACHE, tokenizerAddresses } from "../../src/protocol/models/servedServer.ts";
import { keepBytes } from "./contents.ts";
import { fileIn } from "./keptFiles.ts";

/** So large a file is brought before its model is wanted. */
const SMALL_BYTES = 16 * 2 ** 20;
const isWeights = (name: string) => name.endsWith(".safetensors");
type Folder = FileSystemDirectoryHandle;

export const hub: HubAccess = {
  fetch: (url, init) => fetch(url, init),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  base: import.meta.env.VITE_HUB_ENDPOINT || "https://huggingface.co",
};

/** The first bytes of weights, in which their header lies. */
async function headOf(url: string, what: string, bytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const first = async (length: number) => {
    const response = await answerOf(hub, url, what, { headers: { range: `bytes=0-${Math.min(length, bytes) - 1}` } });
    const reader = response.body!.getReader();
    const head = new Uint8Array(Math.min(length, bytes));
    for (let at = 0; at < head.length; ) {
      const { done, value } = await reader.read();
      if (done) throw new Error(`${what} broke off`);
      head.set(value.subarray(0, head.length - at), at);
      at += value.length;
    }
    await reader.cancel();
    return head;
  };
  const head = await first(2 ** 18);
  const length = 8 + Number(new DataView(head.buffer).getBigUint64(0, true));
  return length <= head.length ? head : first(Math.min(length, SMALL_BYTES));
}

async function announced(folder: Folder, model: HubModel, file: HubFile): Promise<KeptFile> {
  const { name, bytes } = file;
  const [url, what] = [fileAddress(hub.base, model, name), `${name} of ${model.repository}`];
  const entry = { name, bytes, sha256: null, promised: file.sha256, head: null };
  if (isWeights(name)) return { ...entry, head: await keepBytes(folder, await headOf(url, what, bytes)) };
  if (bytes > SMALL_BYTES) throw new Denied(`${what} has ${bytes} bytes, more than ${SMALL_BYTES}`);
  const brought = new Uint8Array(await (await answerOf(hub, url, what)).arrayBuffer());
  return { ...entry, bytes: brought.length, sha256: await keepBytes(folder, brought) };
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
