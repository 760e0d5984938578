// Models among files that were dropped on the page: a GGUF file by itself, or a folder with config.json and weights.
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import { folderOf, nameOf } from "../../kit/files.ts";
import { ask } from "./modelsStore.ts";

/** A file with its place below what was dropped. */
interface Placed {
  readonly path: string;
  open(): Promise<File>;
}

/** The files of one model, and what it is called. */
export interface DroppedModel<File extends Pick<Placed, "path"> = Placed> {
  readonly name: string;
  readonly files: readonly File[];
}

/** The models among files. A run's folder may hold one as well, and is a run. */
export function modelsAmong<File extends Pick<Placed, "path">>(files: readonly File[]): readonly DroppedModel<File>[] {
  if (files.some(({ path }) => nameOf(path) === "save.json")) return [];
  const inFolder = (folder: string) => files.filter(({ path }) => folderOf(path) === folder);
  const folders = files
    .filter(({ path }) => nameOf(path) === "config.json")
    .map(({ path }) => folderOf(path))
    .filter((folder) => inFolder(folder).some(({ path }) => path.endsWith(".safetensors")));
  const single = files.filter(({ path }) => path.endsWith(".gguf") && !folders.includes(folderOf(path)));
  return [
    ...folders.map((folder) => ({ name: nameOf(folder), files: inFolder(folder) })),
    ...single.map((file) => ({ name: nameOf(file.path), files: [file] })),
  ];
}

/** Keeps the models in this browser, and shows the picker, which says how far that is. */
export async function takeModels(models: readonly DroppedModel[]): Promise<void> {
  openDialog("models");
  for (const { name, files } of models) ask({ type: "take", name, files: await Promise.all(files.map((file) => file.open())) });
}
