// A run's folder made from a saved run in one file, such as the page downloads, so that it goes on here.
import { basename } from "node:path";
import { renamedSave } from "../../train/save/importedSave.ts";
import { lastStep } from "../../train/save/savedState.ts";
import { createFolderStore } from "./folderStore.ts";
import { createRunFolder, freeFolder, pathOf, type RunFolder, SAVE_ENDING, saveFolder, writeJson } from "./runFolder.ts";
import { readOrRefuse, readSaveFile } from "./saveFile.ts";

/** Makes a folder that holds the run of a file under the folder's name. @param out where; a free one in runs/ by default. */
export async function folderFromSave(path: string, out: string | undefined): Promise<RunFolder> {
  const brought = await readSaveFile(path);
  const saved = readOrRefuse(path, brought);
  const name = basename(path, SAVE_ENDING);
  const folder = await createRunFolder(out ?? (await freeFolder(name)), { name, config: path });
  const put = renamedSave(brought.files, folder.runId);
  const bytes = [...put.values()].reduce((sum, { length }) => sum + length, 0);
  const save = await createFolderStore(saveFolder(folder)).open(folder.runId);
  await save?.write({ summary: { runId: folder.runId, step: lastStep(saved), savedAt: Date.now(), bytes }, put, removed: "all others" });
  await writeJson(pathOf(folder, "config.json"), saved.config);
  return folder;
}
