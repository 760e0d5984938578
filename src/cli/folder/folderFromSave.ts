// A run's folder made from a saved run in one file, such as the page downloads, so that it goes on here.
import { mkdir } from "node:fs/promises";
import { basename } from "node:path";
import { renamedSave } from "../../train/save/importedSave.ts";
import { lastStep } from "../../train/save/savedState.ts";
import { createFolderStore } from "./folderStore.ts";
import { createRunFolder, freeFolder, pathOf, RUNS, type RunFolder, SAVE_ENDING, saveFolder, writeJson } from "./runFolder.ts";
import { readOrRefuse, readSaveFile } from "./saveFile.ts";

/** What a run is called that comes from a file. */
export function nameOfSave(path: string): string {
  return basename(path, SAVE_ENDING);
}

/** Makes a folder that holds the run of a file under the folder's name. @param out where; a free one in runs/ by default. */
export async function folderFromSave(path: string, out: string | undefined): Promise<RunFolder> {
  const brought = await readSaveFile(path);
  const saved = readOrRefuse(path, brought);
  if (out === undefined) await mkdir(RUNS, { recursive: true }).catch(() => {});
  const folder = await createRunFolder(out ?? (await freeFolder(nameOfSave(path))), {
    name: nameOfSave(path),
    config: path,
    command: process.argv.slice(2),
    created: new Date().toISOString(),
  });
  const put = renamedSave(brought.files, folder.runId);
  const bytes = [...put.values()].reduce((sum, { length }) => sum + length, 0);
  const save = await createFolderStore(saveFolder(folder)).open(folder.runId);
  await save?.write({ summary: { runId: folder.runId, step: lastStep(saved), savedAt: Date.now(), bytes }, put, removed: "all others" });
  await writeJson(pathOf(folder, "config.json"), saved.config);
  return folder;
}
