// Models in the browser's own file system: a list of them, and their files' contents under their hashes, so that what two
// models share is kept once.
import type { FileParts, ModelFolder } from "../../src/model/folder/modelFolder.ts";
import { type KeptFile, type KeptModel, keptModelSchema } from "../../src/protocol/models/keptModels.ts";
import { isNamed, type ModelName } from "../../src/protocol/models/modelName.ts";
import { InputError } from "../../src/protocol/problems.ts";

const LIST = "list.json";

/** The folder of the models. Throws a sentence where the browser offers none. */
export async function modelsFolder(): Promise<FileSystemDirectoryHandle> {
  const { storage } = navigator as Partial<Navigator>;
  if (!storage?.getDirectory) throw new Error("this browser keeps no files for pages, or not for this one: models cannot be kept here");
  const root = await storage.getDirectory().catch((error: unknown) => {
    throw new Error(`this browser keeps no files for this page (${String(error)}), as in a private window`);
  });
  return root.getDirectoryHandle("models", { create: true });
}

/** The file of that name; null where there is none. */
export async function fileIn(folder: FileSystemDirectoryHandle, name: string): Promise<File | null> {
  const handle = await folder.getFileHandle(name).catch(() => null);
  return handle?.getFile() ?? null;
}

/** All models that are kept; what cannot be read of the list is left out. */
export async function readList(folder: FileSystemDirectoryHandle): Promise<readonly KeptModel[]> {
  const text = await (await fileIn(folder, LIST))?.text();
  const list: unknown = text ? JSON.parse(text) : [];
  return Array.isArray(list) ? list.flatMap((entry) => keptModelSchema.safeParse(entry).data ?? []) : [];
}

type Folder = FileSystemDirectoryHandle;

/** Writes a file as a whole or not at all. */
export async function writeWhole(folder: Folder, name: string, content: string | Uint8Array<ArrayBuffer>): Promise<void> {
  const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
  await writable.write(content);
  await writable.close();
}

/** Writes the list, and removes the contents that no model of it has; parts of what is being brought stay. */
export async function writeList(folder: FileSystemDirectoryHandle, models: readonly KeptModel[]): Promise<void> {
  await writeWhole(folder, LIST, JSON.stringify(models));
  const used = new Set(models.flatMap(({ files }) => files.flatMap(({ sha256, head }) => [sha256, head])));
  for await (const name of folder.keys()) {
    const isPartOf = models.some((model) => name.startsWith(`${model.name}~`));
    if (name !== LIST && !used.has(name) && !isPartOf) await folder.removeEntry(name).catch(() => {});
  }
}

async function openKept(folder: FileSystemDirectoryHandle, model: KeptModel, { name, bytes, sha256, head }: KeptFile): Promise<FileParts> {
  const content = sha256 ?? head;
  const file = content === null ? null : await fileIn(folder, content);
  const missing = () => {
    const message = `checkpoint ${model.source?.repository ?? model.name} is not whole in this browser yet, ${name} is missing: bring it first (Choose a model)`;
    return new InputError([{ field: "checkpoint", message }]);
  };
  if (!file) throw missing();
  const read = async (begin: number, end: number) => {
    if (end > file.size) throw missing();
    return new Uint8Array(await file.slice(begin, end).arrayBuffer());
  };
  return { size: bytes, read };
}

/** The folder of a kept model; null where there is none of that name. A model that was announced alone gives what is small of it. */
export async function openKeptModel(name: ModelName): Promise<ModelFolder | null> {
  const folder = await modelsFolder().catch(() => null);
  const model = folder && (await readList(folder)).find((each) => isNamed(each, name));
  if (!folder || !model) return null;
  return {
    async open(file) {
      const found = model.files.find((each) => each.name === file);
      if (!found) throw new Error(`${model.name} has no file ${file}`);
      return openKept(folder, model, found);
    },
  };
}
