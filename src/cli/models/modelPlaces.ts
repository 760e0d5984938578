// Where models lie on this machine: the lab's own in the package, those that somebody brought in a folder models/ where
// the program is called, and wherever a path leads.
import { open, readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { ggufFolder } from "../../model/folder/ggufFolder.ts";
import type { FileParts, ModelFolder } from "../../model/folder/modelFolder.ts";
import {
  isNamed,
  MODEL_NAME_RULE,
  type ModelName,
  type ModelOrigin,
  modelOriginSchema,
  readModelName,
  refuseModel,
} from "../../protocol/models/modelName.ts";
import { errorText, InputError, orThrow, parseOrThrow } from "../../protocol/problems.ts";
import { codeOf, fileReason, foundAt } from "../lab/exit.ts";

/** The folder that models are brought into, where the program is called. */
export const MODELS = "models";
/** What a model's folder keeps of where it came from. */
export const SOURCE_FILE = "source.json";

/** A file of the disk, opened for each part that is read. Throws where there is none. A pipe or a device in its place might never end. */
export async function partsOfFile(path: string): Promise<FileParts> {
  const found = await stat(path).catch((error: unknown) => {
    throw new Error(`${path} ${codeOf(error) === "ENOENT" ? "is missing" : `cannot be read: ${fileReason(error)}`}`);
  });
  if (!found.isFile()) throw new Error(`${path} must be a file, got ${found.isDirectory() ? "a folder" : "a pipe or a device"}`);
  const { size } = found;
  return {
    size,
    async read(begin, end) {
      const file = await open(path);
      try {
        const bytes = new Uint8Array(end - begin);
        const { bytesRead } = await file.read(bytes, 0, bytes.length, begin);
        if (bytesRead < bytes.length) throw new Error(`${path} ends before byte ${end}: it was changed while it was read`);
        return bytes;
      } finally {
        await file.close();
      }
    },
  };
}

/** A model's folder on the disk. */
export function diskFolder(path: string): ModelFolder {
  return { open: (name) => partsOfFile(join(path, name)) };
}

const isFolder = async (path: string): Promise<boolean> => (await foundAt(path))?.isDirectory() ?? false;

/** Where a model came from; null where its folder does not say. Throws a sentence where what it says cannot be read. */
export async function readOrigin(folder: string): Promise<ModelOrigin | null> {
  const path = join(folder, SOURCE_FILE);
  const text = await readFile(path, "utf8").catch(() => null);
  if (text === null) return null;
  return orThrow(
    () => parseOrThrow(modelOriginSchema, JSON.parse(text)),
    (error) => new Error(`${path}: ${errorText(error)}`),
  );
}

/** The folder of a model that somebody brought; null where none of models/ is the one that is named. */
export async function broughtFolder(models: string, name: ModelName): Promise<string | null> {
  if (name.kind === "folder") return (await isFolder(join(models, name.name))) ? join(models, name.name) : null;
  const folders = (await readdir(models).catch(() => [])).filter((each) => !each.endsWith(".part"));
  for (const folder of folders.toSorted()) {
    const source = await readOrigin(join(models, folder));
    if (isNamed({ name: folder, source }, name)) return join(models, folder);
  }
  return null;
}

/** The model of a path: a folder, a GGUF file, or a folder that holds nothing of a model but one GGUF file; null where there is none. */
async function openPath(path: string): Promise<ModelFolder | null> {
  if (!(await isFolder(path))) return path.endsWith(".gguf") && (await foundAt(path)) ? ggufFolder(await partsOfFile(path)) : null;
  const names = await readdir(path);
  const [only, ...others] = names.filter((name) => name.endsWith(".gguf"));
  const isBare = only !== undefined && others.length === 0 && !names.includes("config.json");
  return isBare ? ggufFolder(await partsOfFile(join(path, only))) : diskFolder(path);
}

/**
 * A model as --model names it: a folder or a file that is there is meant by its path, without "./" too. Throws where a model of the
 * hub that was brought has the same name.
 */
export async function chosenModel(given: string, models = MODELS): Promise<string> {
  const name = readModelName(given);
  if (name?.kind === "path" || name?.kind === "folder" || !(await foundAt(given))) return given;
  const brought = name ? await broughtFolder(models, name) : null;
  if (brought === null) return `./${given}`;
  const both = `${given} is a folder here and, as ${brought}, a model of the hub`;
  throw new InputError([
    { field: "checkpoint", message: `${both}: --model ./${given} means the folder, --model ${basename(brought)} the other` },
  ]);
}

type Bring = (name: Extract<ModelName, { readonly kind: "hub" }>, models: string) => Promise<ModelFolder>;

/**
 * Finds a model of this machine by the name that a configuration gives it; null for one of the lab's own.
 * @param own folder of the lab's own @param models folder of those that were brought @param bring brings what is wanted of a model of
 * the hub that is not here
 */
export async function openDiskModel(given: string, own: string, models = MODELS, bring?: Bring): Promise<ModelFolder | null> {
  const name = readModelName(given) ?? refuseModel(`${MODEL_NAME_RULE}, got "${given}"`);
  if (name.kind === "path")
    return (await openPath(name.path)) ?? refuseModel(`must be a folder or a GGUF file, got ${given}: there is none`);
  if (name.kind === "folder" && (await isFolder(join(own, name.name)))) return null;
  const folder = await broughtFolder(models, name);
  if (folder !== null) return diskFolder(folder);
  if (name.kind === "hub" && bring) return bring(name, models);
  return name.kind === "hub"
    ? refuseModel(`must be a model that is in ${models}/, got ${given}: rollout-lab fetch ${given} brings it`)
    : refuseModel(`must be a folder of ${models}/ or one of the lab's own, got ${given}: rollout-lab fetch brings one`);
}
