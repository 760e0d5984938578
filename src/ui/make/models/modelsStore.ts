// What the page knows of models that a run can begin with: those that this browser keeps, those that the server has
// beside the page, and what is being brought. The worker that keeps them is made when the first is asked for.
import { create } from "zustand";
import { type KeptModel, type ModelReply, type ModelRequest, sizeOfModel } from "../../../protocol/models/keptModels.ts";
import {
  type ListedModel,
  listedModelSchema,
  type ModelName,
  type ModelOrigin,
  OWN_MODELS,
  readModelName,
} from "../../../protocol/models/modelName.ts";
import { openModelsWorker } from "../../engine/openWorkers.ts";
import { useResolvedDraft } from "../../engine/store/draft/useDraftFacts.ts";

/** What is being done with a model. */
export interface Work {
  readonly what: ModelRequest["type"];
  readonly name: string;
  readonly done: number;
  readonly total: number;
  /** Where it began, for the speed: bytes that were there, and when. */
  readonly from: { readonly bytes: number; readonly atMs: number };
}

export interface ModelsFacts {
  /** Null until they are known. */
  readonly models: readonly KeptModel[] | null;
  readonly served: readonly ListedModel[];
  /** Bytes that the browser would still keep; null where it does not say. */
  readonly free: number | null;
  readonly work: Work | null;
  readonly problem: string | null;
  /** The model that was last asked for, by its name. */
  readonly named: string | null;
}

export const useModels = create<ModelsFacts>()(() => ({
  models: null,
  served: [],
  free: null,
  work: null,
  problem: null,
  named: null,
}));

let worker: Worker | null = null;

function heard(reply: ModelReply): void {
  const { work } = useModels.getState();
  if (reply.type === "progress") {
    const { name, done, total } = reply;
    const from = work && work.total > 0 ? work.from : { bytes: done, atMs: performance.now() };
    if (work) useModels.setState({ work: { ...work, name, done, total, from } });
  } else if (reply.type === "models") {
    const { models, free, named } = reply;
    useModels.setState({ models, free, work: null, ...(named === undefined ? {} : { named }) });
  } else {
    useModels.setState({ work: null, problem: reply.isCancelled ? null : reply.message });
    if (useModels.getState().models === null) useModels.setState({ models: [] });
    // How far one came that broke off is in the list.
    if (work?.what === "bring") ask({ type: "list" });
  }
}

/** Asks the worker; the answer is among the facts. */
export function ask(request: ModelRequest): void {
  if (!worker) {
    worker = openModelsWorker();
    worker.onmessage = ({ data }: MessageEvent<ModelReply>) => heard(data);
    worker.onerror = (event) =>
      heard({ type: "failed", message: event.message || "the part that keeps models could not be loaded", isCancelled: false });
  }
  const name = "name" in request ? request.name : "repository" in request ? request.repository : "";
  if (request.type !== "cancel" && request.type !== "list")
    useModels.setState({ problem: null, work: { what: request.type, name, done: 0, total: 0, from: { bytes: 0, atMs: 0 } } });
  worker.postMessage(request);
}

/** Looks which models there are. */
export async function readModels(): Promise<void> {
  ask({ type: "list" });
  const response = await fetch("models/served.json", { cache: "no-store" }).catch(() => null);
  if (!response?.ok || !response.headers.get("content-type")?.startsWith("application/json")) return;
  const list: unknown = await response.json();
  if (Array.isArray(list)) useModels.setState({ served: list.flatMap((entry) => listedModelSchema.safeParse(entry).data ?? []) });
}

/** What a configuration calls a model: by where it came from, so that it holds on other machines too. */
export function checkpointOf({ name, source }: { readonly name: string; readonly source: ModelOrigin | null }): string {
  if (!source) return name;
  return source.revision === "main" ? source.repository : `${source.repository}@${source.revision}`;
}

/** Bytes of a model that are there already. */
export const keptBytes = ({ files }: KeptModel): number => sizeOfModel({ files: files.filter(({ sha256 }) => sha256 !== null) });

/** How fast work goes and how long it still takes; null before anything can be said. */
export function paceOf(
  { done, total, from }: Work,
  nowMs: number,
): { readonly bytesPerSecond: number; readonly secondsLeft: number } | null {
  const seconds = (nowMs - from.atMs) / 1000;
  if (total === 0 || seconds < 0.5 || done <= from.bytes) return null;
  const bytesPerSecond = (done - from.bytes) / seconds;
  return { bytesPerSecond, secondsLeft: (total - done) / bytesPerSecond };
}

/**
 * The name of the pretrained model that the form's run begins with; null where the form's run begins with one of the
 * lab's own, or with none.
 */
export function useFormModel(): ModelName | null {
  const config = useResolvedDraft()?.config;
  if (config?.model !== "transformer" || config.startFrom !== "checkpoint") return null;
  const name = readModelName(config.checkpoint);
  return name?.kind === "folder" && OWN_MODELS.includes(name.name) ? null : name;
}
