// A saved run as one file, as the page downloads it and a run's folder keeps its checkpoints.
import { readFile } from "node:fs/promises";
import { type ImportedSave, saveInFile } from "../../train/save/importedSave.ts";
import { readSave } from "../../train/save/readSave.ts";
import { lastStep, type SavedState } from "../../train/save/savedState.ts";
import { CommandError, fileError } from "../lab/exit.ts";

/** Reads a save; throws a CommandError that names where it was read from. */
export function readOrRefuse(path: string, { runId, files }: ImportedSave): SavedState {
  try {
    return readSave(runId, files);
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The files of a saved run in one. Throws a CommandError naming it. */
export async function readSaveFile(path: string): Promise<ImportedSave> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await readFile(path));
  } catch (error) {
    throw fileError("read", path, error);
  }
  try {
    return saveInFile(bytes);
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The last step of a save; null where there is no such file, or none that can be read. */
export async function stepOfSave(path: string): Promise<number | null> {
  return readSaveFile(path).then(
    (save) => lastStep(readOrRefuse(path, save)),
    () => null,
  );
}
