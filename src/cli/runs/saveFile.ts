// A saved run as one file, as the page downloads it and a run's folder keeps its checkpoints.
import { readFile } from "node:fs/promises";
import { isRecord } from "../../protocol/problems.ts";
import { MANIFEST } from "../../train/save/manifest.ts";
import type { SaveFiles } from "../../train/save/readSave.ts";
import { unpackFiles } from "../../train/save/saveBlock.ts";
import { unseal } from "../../train/save/sealed.ts";
import { CommandError } from "../lab/exit.ts";
import { fileError } from "./systemErrors.ts";

export interface SaveFile {
  readonly runId: string;
  readonly files: SaveFiles;
  /** Step of its checkpoint, 0 without one. */
  readonly step: number;
}

/** Reads a file of a saved run. Throws a CommandError naming it. */
export async function readSaveFile(path: string): Promise<SaveFile> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await readFile(path));
  } catch (error) {
    throw fileError("read", path, error);
  }
  try {
    const files = unpackFiles(bytes);
    const manifest = files.get(MANIFEST);
    if (!manifest) throw new Error("it holds no saved run of this version");
    const { header } = unseal(manifest, MANIFEST, "rollout-lab-run");
    const { runId, checkpoint } = header as { readonly runId: string; readonly checkpoint: unknown };
    return { runId, files, step: isRecord(checkpoint) ? Number(checkpoint.step) : 0 };
  } catch (error) {
    throw new CommandError(`${path} cannot be opened: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The step of a save's checkpoint; null where there is no such file, or none that can be read. */
export async function stepOfSave(path: string): Promise<number | null> {
  return readSaveFile(path).then(
    ({ step }) => step,
    () => null,
  );
}
