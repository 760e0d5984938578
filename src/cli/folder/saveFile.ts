// What a path holds of a run: a saved run as one file, as the page downloads it and a folder keeps its checkpoints, and
// for programs that open it with the library, the files of a model.

import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { ModelFile } from "../../protocol/messages.ts";
import { errorText, orThrow } from "../../protocol/problems.ts";
import { type ImportedSave, saveInFile } from "../../train/save/importedSave.ts";
import { readSave } from "../../train/save/readSave.ts";
import { lastStep, type SavedState } from "../../train/save/savedState.ts";
import { MODEL_FILES } from "../../train/start/weightTransfer.ts";
import { CommandError, failedFile } from "../lab/exit.ts";

const unopened = (path: string) => (error: unknown) => new CommandError(`${path} cannot be opened: ${errorText(error)}`);

/** Reads a save; throws a CommandError that names where it was read from. */
export function readOrRefuse(path: string, { runId, files }: ImportedSave): SavedState {
  return orThrow(() => readSave(runId, files), unopened(path));
}

/** The files of a saved run in one. Throws a CommandError naming it. */
export async function readSaveFile(path: string): Promise<ImportedSave> {
  const bytes = new Uint8Array(await readFile(path).catch(failedFile("read", path)));
  return orThrow(() => saveInFile(bytes), unopened(path));
}

/** The last step of a save; null where there is no such file, or none that can be read. */
export async function stepOfSave(path: string): Promise<number | null> {
  return readSaveFile(path).then(
    (save) => lastStep(readOrRefuse(path, save)),
    () => null,
  );
}

const fileAt = async (path: string): Promise<ModelFile> => ({ name: basename(path), bytes: new Uint8Array(await readFile(path)) });

/** The files that `openModel` takes, from a save, a run's folder or a Hugging Face folder. Rejects where nothing is there. */
export async function readModelFiles(path: string): Promise<readonly ModelFile[]> {
  if ((await stat(path)).isFile()) return [await fileAt(path)];
  const names = await readdir(path);
  if (names.includes("save")) return readModelFiles(join(path, "save"));
  const isModel = names.includes("model.safetensors");
  const chosen = isModel
    ? MODEL_FILES.filter((name) => names.includes(name))
    : names.filter((name) => /^(save\.json|\d+\.bin)$/.test(name));
  if (chosen.length === 0) throw new Error(`${path} holds neither a saved run nor a model: a save.json or a model.safetensors is missing`);
  return Promise.all(chosen.map((name) => fileAt(join(path, name))));
}
