// Finds a model for the page's engine by the name that a configuration gives it: one of the lab's own, one that
// the browser keeps, or one of the folder models/ that the server may have beside the page, whose files are read in
// parts as they are wanted.
import type { FileParts, ModelFolder } from "../../src/model/folder/modelFolder.ts";
import { isPage, pageInstead } from "../../src/protocol/models/fetched.ts";
import {
  isNamed,
  type ListedModel,
  listedModelSchema,
  MODEL_NAME_RULE,
  type ModelName,
  OWN_MODELS,
  readModelName,
  refuseModel,
} from "../../src/protocol/models/modelName.ts";
import { noTokenizer } from "../../src/protocol/models/servedServer.ts";
import { siteFolder } from "../assets.ts";
import { openKeptTokenizer } from "./announce.ts";
import { openKeptModel } from "./openKept.ts";

/** The models that the server lists; none where it is one that serves files alone. */
async function servedModels(): Promise<readonly ListedModel[]> {
  const response = await fetch(`${siteFolder}models/served.json`, { cache: "no-store" }).catch(() => null);
  if (!response?.ok || !response.headers.get("content-type")?.startsWith("application/json")) return [];
  const list: unknown = await response.json();
  const models = Array.isArray(list) ? list.map((entry) => listedModelSchema.safeParse(entry)) : [];
  return models.flatMap(({ data }) => data ?? []);
}

function partsOf(address: string, size: number): FileParts {
  return {
    size,
    async read(begin, end) {
      if (end <= begin) return new Uint8Array(0);
      const response = await fetch(address, { headers: { range: `bytes=${begin}-${end - 1}` }, cache: "no-store" });
      if (!response.ok) throw new Error(`${address} could not be read (the server answered ${response.status})`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (isPage(response)) throw new Error(pageInstead(address));
      // A server that knows no ranges gives all of it.
      if (response.status !== 206 && bytes.length !== size) throw new Error(`${address} must have ${size} bytes, got ${bytes.length}`);
      const part = response.status === 206 ? bytes : bytes.subarray(begin, end);
      if (part.length !== end - begin) throw new Error(`${address} was changed while it was read`);
      return part;
    },
  };
}

/** The folder of a served model; null where the server has none of that name. */
async function openServedModel(name: ModelName): Promise<ModelFolder | null> {
  const model = (await servedModels()).find((each) => isNamed(each, name));
  if (!model) return null;
  return {
    async open(file) {
      const found = model.files.find((each) => each.name === file);
      if (!found) throw new Error(`models/${model.name}/${file} is missing`);
      return partsOf(`${siteFolder}models/${model.name}/${file}`, found.bytes);
    },
  };
}

/** The folder of a model; null for one of the lab's own. Throws a sentence where there is none of that name. */
export async function openBrowserModel(given: string, withWeights: boolean): Promise<ModelFolder | null> {
  const name = readModelName(given) ?? refuseModel(`${MODEL_NAME_RULE}, got "${given}"`);
  if (name.kind === "path") return refuseModel(`must be the name of a model in the page, got the path ${given}`);
  if (name.kind === "folder" && OWN_MODELS.includes(name.name)) return null;
  const folder = (await openKeptModel(name)) ?? (await openServedModel(name));
  if (folder) return folder;
  if (name.kind === "hub" && !withWeights) return (await openKeptTokenizer(name)) ?? refuseModel(noTokenizer(given));
  return refuseModel(`must be a model that this browser has, got ${given}: bring it first (Choose a model)`);
}
