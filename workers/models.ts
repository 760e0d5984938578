// The worker that keeps models for the page: it brings them from the hub or takes them from files, lists and removes
// them. It is made when somebody first asks for models, and one request is carried out after the other.
import { freeName, isWhole, type KeptModel, type ModelReply, type ModelRequest, sizeOfModel } from "../src/protocol/models/keptModels.ts";
import { errorText } from "../src/protocol/problems.ts";
import { announceModel } from "./models/announce.ts";
import { bringModel } from "./models/bring.ts";
import { modelsFolder, readList, sweep, writeList } from "./models/keptFiles.ts";
import { takeFiles } from "./models/takeFiles.ts";
import { takeRunLock } from "./runLock.ts";

const tell = (reply: ModelReply) => self.postMessage(reply);
let bringing: AbortController | null = null;
let last = Promise.resolve();

const withModel = (models: readonly KeptModel[], model: KeptModel) => [...models.filter(({ name }) => name !== model.name), model];

/** Carries a request out; resolves to the model that it was about. */
async function carryOut(request: Exclude<ModelRequest, { type: "cancel" }>): Promise<string | undefined> {
  const folder = await modelsFolder();
  const models = await readList(folder);
  const progress = (name: string, total: number) => (done: number) => tell({ type: "progress", name, done, total });
  if (request.type === "remove")
    await writeList(
      folder,
      models.filter(({ name }) => name !== request.name),
    );
  if (request.type === "announce") {
    const { repository, revision } = request;
    const known = models.find(({ source }) => source?.repository === repository && (revision ?? "main") === source.revision);
    if (known) return known.name;
    const model = await announceModel(folder, freeName(repository.split("/")[1] ?? repository, models), repository, revision ?? "main");
    await writeList(folder, withModel(models, model));
    return model.name;
  }
  if (request.type === "take") {
    const name = freeName(request.name, models);
    const model = await takeFiles(folder, name, request.files, (done, total) => progress(name, total)(done));
    await writeList(folder, withModel(models, model));
    return name;
  }
  if (request.type === "bring") {
    const model = models.find(({ name }) => name === request.name);
    if (!model) throw new Error(`there is no model ${request.name}`);
    bringing = new AbortController();
    const keep = async (next: KeptModel) => writeList(folder, withModel(await readList(folder), next));
    if (!isWhole(model))
      await bringModel(folder, model, { keep, onBytes: progress(model.name, sizeOfModel(model)), signal: bringing.signal });
    await navigator.storage.persist?.().catch(() => false);
    return model.name;
  }
  return undefined;
}

async function answer(request: Exclude<ModelRequest, { type: "cancel" }>): Promise<void> {
  const release = await takeRunLock("rollout-lab models");
  try {
    if (!release) throw new Error("another tab is bringing a model: wait for it, or close it");
    const named = await carryOut(request);
    const { quota, usage } = await navigator.storage.estimate().catch(() => ({ quota: undefined, usage: undefined }));
    const free = quota === undefined || usage === undefined ? null : quota - usage;
    tell({ type: "models", models: await readList(await modelsFolder()), free, ...(named === undefined ? {} : { named }) });
  } catch (error) {
    // What was begun of one that is in no list could never be gone on with.
    await modelsFolder()
      .then(async (folder) => sweep(folder, await readList(folder)))
      .catch(() => {});
    const isFull = error instanceof DOMException && error.name === "QuotaExceededError";
    const message = isFull ? "the browser's storage for this page is full: remove a model that is kept" : errorText(error);
    tell({ type: "failed", message, isCancelled: bringing?.signal.aborted ?? false });
  } finally {
    bringing = null;
    release?.();
  }
}

self.onmessage = ({ data }: MessageEvent<ModelRequest>) => {
  if (data.type === "cancel") return bringing?.abort();
  last = last.then(() => answer(data));
};
