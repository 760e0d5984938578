// Models in the browser's own file system: a list of them, and their files' contents under their hashes, so that what two
// models share is kept once.
import { type KeptFile, type KeptModel, keptModelSchema } from "../../src/protocol/models/keptModels.ts";
import { writeWhole } from "./writeFiles.ts";

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

/** Whether a content lies here whole: a file under its hash that has other bytes is what was left of a write that failed. */
export async function hasContent(folder: FileSystemDirectoryHandle, sha256: string, bytes: number): Promise<boolean> {
  return (await fileIn(folder, sha256))?.size === bytes;
}

/** All models that are kept; what cannot be read of the list is left out, and a file whose content is gone was not brought. */
export async function readList(folder: FileSystemDirectoryHandle): Promise<readonly KeptModel[]> {
  // Where it was left without its name, it is whole.
  const text = await ((await fileIn(folder, LIST)) ?? (await fileIn(folder, `${LIST}~`)))?.text();
  const list: unknown = text ? JSON.parse(text) : [];
  const models = Array.isArray(list) ? list.flatMap((entry) => keptModelSchema.safeParse(entry).data ?? []) : [];
  const seen = async (file: KeptFile) =>
    file.sha256 === null || (await hasContent(folder, file.sha256, file.bytes)) ? file : { ...file, sha256: null };
  return Promise.all(models.map(async (model) => ({ ...model, files: await Promise.all(model.files.map(seen)) })));
}

/** Writes the list, and removes what no model of it has. */
export async function writeList(folder: FileSystemDirectoryHandle, models: readonly KeptModel[]): Promise<void> {
  await writeWhole(folder, LIST, new TextEncoder().encode(JSON.stringify(models)));
  await sweep(folder, models);
}

/** Removes the contents that no model has, and what is left of one that could not be kept; parts of what is being brought stay. */
export async function sweep(folder: FileSystemDirectoryHandle, models: readonly KeptModel[]): Promise<void> {
  const used = new Set(models.flatMap(({ files }) => files.flatMap(({ sha256, head }) => [sha256, head])));
  for await (const name of folder.keys()) {
    const isPartOf = models.some((model) => name.startsWith(`${model.name}~`));
    if (!name.startsWith(LIST) && !used.has(name) && !isPartOf) await folder.removeEntry(name).catch(() => {});
  }
}
