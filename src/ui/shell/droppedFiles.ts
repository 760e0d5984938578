// What was dropped on the page goes to the room that keeps its kind: models, code of one's own, saved runs, or rollouts and logs of other
// programs.
import { parseRoute } from "../engine/route.ts";
import { modelsAmong, takeModels } from "../make/models/droppedModels.ts";
import { bring, isOfSavedRun, type OpenedFile, placed, runsAmong } from "../runs/saves/importRuns.ts";

/** Deep enough for a folder of runs. */
const DEEPEST = 4;

async function filesIn(entry: FileSystemEntry, path: string, depth: number): Promise<readonly OpenedFile[]> {
  if (entry.isFile) return [placed(path, () => new Promise((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)))];
  if (depth > DEEPEST || entry.name === "node_modules" || entry.name.startsWith(".")) return [];
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const found: OpenedFile[] = [];
  for (;;) {
    // It gives a folder in parts, the last of them empty.
    const part = await new Promise<readonly FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0) return found;
    for (const inner of part) found.push(...(await filesIn(inner, `${path}/${inner.name}`, depth + 1)));
  }
}

/** Keeps what was dropped. */
export async function takeDropped(dropped: readonly (FileSystemEntry | File)[]): Promise<void> {
  const files: OpenedFile[] = [];
  for (const each of dropped)
    files.push(...(each instanceof File ? [placed(each.name, async () => each)] : await filesIn(each, each.name, 0)));
  const models = modelsAmong(files);
  if (models.length > 0) return takeModels(models);
  if (files.length > 0 && files.every(({ path }) => /\.[cm]?[jt]s$/.test(path))) {
    const { bringDropped } = await import("../make/customize/library/handOn.ts");
    return bringDropped(files);
  }
  if (files.length > 0 && runsAmong(files).every(({ files: own }) => own.every(({ path }) => !isOfSavedRun(path)))) {
    const given = await Promise.all(files.map(async ({ path, open }) => ({ path, file: await open() })));
    const { giveLogFiles, openFiles } = await import("../open/openFiles.ts");
    // Where logs are read, a file is one.
    return parseRoute(window.location.hash).screen === "log" ? giveLogFiles(given) : openFiles(given);
  }
  await bring(dropped.map(({ name }) => name).join(", "), files);
}
