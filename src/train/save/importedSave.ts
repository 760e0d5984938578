// A save that somebody brings from elsewhere, in either of its two forms: one file, as the page downloads it
// and a run folder's checkpoints have it, or the files of a run folder's save/, whose list says which array
// lies in which file.

import { isRecord, parsedJson, showValue } from "../../protocol/problems.ts";
import { LABEL_FILE } from "../../protocol/run/runLabel.ts";
import { LABEL } from "../host.ts";
import { isSpare } from "./kept/lostSteps.ts";
import { decodeManifest, encodeManifest, MANIFEST } from "./manifest.ts";
import type { SaveFiles } from "./readSave.ts";
import { DATA_FOLDER, PART_NAME, unpackFiles } from "./rollout/packedFiles.ts";

/** The file in a run folder's save/ that names the others. */
export const SAVE_LIST = "save.json";

export interface SaveList {
  readonly runId: string;
  /** The file of each array. */
  readonly files: Readonly<Record<string, string>>;
}

/** Names of the files that arrays lie in, as the lab writes them: nothing else in a list is followed. */
const FILE_NAME = /^\d+\.bin$/;

/** Reads the list of a save in a folder. Throws where the text is none, or names what no save has. */
export function readSaveList(text: string, where: string): SaveList {
  const list = parsedJson(text, (cause) => new Error(`${where} is not JSON: it was cut short or changed by hand`, { cause }));
  if (!isRecord(list) || typeof list.runId !== "string" || !isRecord(list.files)) throw new Error(`${where} is not the list of a save`);
  for (const [name, file] of Object.entries(list.files)) {
    if (!PART_NAME.test(name)) throw new Error(`${where} names ${showValue(name)}, which is no part of a save`);
    if (typeof file !== "string" || !FILE_NAME.test(file))
      throw new Error(`${where} must name a file such as 0.bin for ${name}, got ${showValue(file)}`);
  }
  return list as unknown as SaveList;
}

/** Data that lies in a run's folder. */
const DATA_FILE = /^[0-9a-f]{64}\.jsonl$/;

/** A file with its name in its folder. */
export interface ImportedFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface ImportedSave {
  readonly runId: string;
  readonly files: SaveFiles;
}

/** The save in one file, a recording that was handed on or what a page downloads. Throws a sentence where it holds none. */
export function saveInFile(bytes: Uint8Array): ImportedSave {
  const files = unpackFiles(bytes);
  const manifest = files.get(MANIFEST);
  if (!manifest) throw new Error(`the save has no file ${MANIFEST}`);
  return { runId: decodeManifest(manifest).runId, files };
}

/** The save in the files of a folder. Throws a sentence that names the file which is wrong or missing. */
function saveInFolder(list: ImportedFile, all: readonly ImportedFile[]): ImportedSave {
  const { runId, files } = readSaveList(new TextDecoder().decode(list.bytes), SAVE_LIST);
  const byName = new Map(all.map(({ name, bytes }) => [name, bytes]));
  const found = Object.entries(files).flatMap(([name, file]) => {
    const bytes = byName.get(file);
    if (!bytes && !isSpare(name)) throw new Error(`${file} is missing, which ${SAVE_LIST} names`);
    return bytes ? [[name, bytes] as const] : [];
  });
  // It lies beside the save, and came along where the whole folder did.
  const label = byName.get(LABEL_FILE);
  const data = all.flatMap(({ name, bytes }) => (DATA_FILE.test(name) ? [[`${DATA_FOLDER}${name.slice(0, 64)}`, bytes] as const] : []));
  return { runId, files: new Map([...found, ...data, ...(label ? ([[LABEL, label]] as const) : [])]) };
}

/** The save in what was brought. Throws a sentence where there is none. */
export function readImported(all: readonly ImportedFile[]): ImportedSave {
  const list = all.find(({ name }) => name === SAVE_LIST);
  if (list) return saveInFolder(list, all);
  const [only] = all;
  if (!only || all.length > 1) throw new Error(`there must be one file, or a ${SAVE_LIST} beside the others, got ${all.length} files`);
  return saveInFile(only.bytes);
}

/** The same save under another name, which its manifest carries. */
export function renamedSave(files: SaveFiles, runId: string): SaveFiles {
  return new Map(
    [...files].map(([name, bytes]) => [name, name === MANIFEST ? encodeManifest({ ...decodeManifest(bytes), runId }) : bytes]),
  );
}
