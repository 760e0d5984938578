// Saved runs in folders: the store of a command-line session holds one run, in one folder. A save is a few
// named byte arrays that belong together, so each write puts its arrays into files of their own and then
// replaces the list that says which of them count, by a rename. Whatever ends the process in between, the
// list names whole files of one moment. Writing does not wait for turns of the process: training holds it for
// seconds at a time, and a write of many turns would take minutes or cross the next one.
import { constants, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { LABEL_FILE } from "../../protocol/run/runLabel.ts";
import { LABEL, type OpenSave, type RunStore, type SaveChange, type StoredSave, type StoredSummary } from "../../train/host.ts";
import { readSaveList, SAVE_LIST, type SaveList } from "../../train/save/importedSave.ts";
import { isSpare } from "../../train/save/kept/lostSteps.ts";
import { MANIFEST } from "../../train/save/manifest.ts";
import { StorageError } from "../../train/save/storage.ts";
import { codeOf, fileError, fileReason } from "../lab/exit.ts";

interface FolderList extends SaveList {
  readonly summary: StoredSummary;
  /** Name of the next file. */
  readonly next: number;
}

async function readList(folder: string): Promise<FolderList | null> {
  let text: string;
  try {
    text = await readFile(join(folder, SAVE_LIST), "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return null;
    throw new StorageError(`${join(folder, SAVE_LIST)} cannot be read: ${fileReason(error)}`);
  }
  const list = readSaveList(text, join(folder, SAVE_LIST)) as FolderList;
  if (typeof list.next !== "number") throw new Error(`${join(folder, SAVE_LIST)} has no number of the next file`);
  return list;
}

/** Has what must be on the disk before a save that ends at this step written there; it takes no turn of the process. */
type BeforeWrite = (step: number) => Promise<void> | undefined;

/** The save that this process writes; owned state. */
class FolderSave implements OpenSave {
  readonly #folder: string;
  readonly #runId: string;
  readonly #before: BeforeWrite;
  #list: FolderList | null;
  /** Whether what a write left here that came to no end is gone. */
  #isSwept = false;

  constructor(folder: string, runId: string, list: FolderList | null, before: BeforeWrite) {
    this.#folder = folder;
    this.#runId = runId;
    this.#list = list;
    this.#before = before;
  }

  async write({ summary, put, removed, stays = [] }: SaveChange): Promise<void> {
    await this.#before(summary.step);
    const before = this.#list;
    const kept = Object.entries(before?.files ?? {}).filter(([name]) => removed !== "all others" || stays.includes(name));
    const files: Record<string, string> = Object.fromEntries(kept);
    if (removed !== "all others") for (const name of removed) delete files[name];
    let next = before?.next ?? 0;
    try {
      for (const [name, bytes] of put) {
        const file = `${next++}.bin`;
        writeFileSync(join(this.#folder, file), bytes);
        files[name] = file;
      }
      const list = { runId: this.#runId, summary, next, files };
      writeFileSync(join(this.#folder, `${SAVE_LIST}.new`), JSON.stringify(list));
      renameSync(join(this.#folder, `${SAVE_LIST}.new`), join(this.#folder, SAVE_LIST));
      this.#list = list;
    } catch (error) {
      this.#isSwept = false;
      throw new StorageError(`The save in ${this.#folder} cannot be written: ${fileReason(error)}.`);
    }
    // A long run has thousands of files, and writes some of them four times a second.
    this.#removeOthers(this.#isSwept ? Object.values(before?.files ?? {}) : readdirSync(this.#folder));
    this.#isSwept = true;
  }

  /** Those among files that the list does not name, of this write's predecessor or of a process that ended in the middle of one. */
  #removeOthers(files: readonly string[]): void {
    const kept = new Set([SAVE_LIST, ...Object.values(this.#list?.files ?? {})]);
    for (const file of files) if (!kept.has(file)) rmSync(join(this.#folder, file), { force: true });
  }

  async remove(): Promise<void> {
    this.#list = null;
    rmSync(join(this.#folder, SAVE_LIST), { force: true });
    this.#removeOthers(readdirSync(this.#folder));
  }

  close(): void {}
}

/** A file of a save. A link in its place is refused: a folder that somebody hands over must not lead out of itself. */
async function readOwn(folder: string, file: string): Promise<Uint8Array> {
  const path = join(folder, file);
  try {
    // Windows has no such flag, and no links that an ordinary user could make.
    return new Uint8Array(await readFile(path, { flag: constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) }));
  } catch (error) {
    // One that is gone may stand under another name in the next list.
    throw codeOf(error) === "ENOENT" ? error : fileError("read", path, error);
  }
}

/** That a file of the save is gone, in a sentence; anything else as it is. */
function lostFile(folder: string, error: unknown): unknown {
  if (!(error instanceof Error) || codeOf(error) !== "ENOENT") return error;
  return fileError("read", "path" in error ? String(error.path) : folder, error);
}

/**
 * The list with its arrays, or those of these names, as they stand together; null without a save. Whoever writes meanwhile, here or
 * in another process, replaces the list before it deletes files, so a file that is gone is looked for in the next list. Where that
 * is the same one, the save goes without it if it can.
 */
async function readWhole(folder: string, wanted: (name: string) => boolean) {
  let isSame = false;
  for (let list = await readList(folder); list; ) {
    const entryOf = async ([name, file]: readonly [string, string]) => {
      try {
        return [[name, await readOwn(folder, file)] as const];
      } catch (error) {
        if (isSame && isSpare(name) && codeOf(error) === "ENOENT") return [];
        throw error;
      }
    };
    try {
      const entries = Object.entries(list.files).filter(([name]) => wanted(name));
      return { list, arrays: new Map((await Promise.all(entries.map(entryOf))).flat()) };
    } catch (error) {
      const newer = await readList(folder);
      if (codeOf(error) !== "ENOENT" || (isSame && newer?.next === list.next)) throw lostFile(folder, error);
      isSame = newer?.next === list.next;
      list = newer;
    }
  }
  return null;
}

/** The files of the save in a folder, the list among them, by their names there, and what is written on it; none without a save. */
export async function saveFilesIn(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = await readWhole(folder, () => true);
  if (!found) return new Map();
  const { list, arrays } = found;
  const files = [...arrays].map(([name, bytes]) => [list.files[name] ?? name, bytes] as const);
  const label = await readLabel(folder);
  return new Map([
    [SAVE_LIST, new TextEncoder().encode(JSON.stringify(list))],
    ...files,
    ...(label ? ([[LABEL_FILE, label]] as const) : []),
  ]);
}

/** What somebody has written on the run whose save lies here: it lies beside the save, where people find it. */
const labelPath = (folder: string) => join(dirname(folder), LABEL_FILE);

export async function readLabel(folder: string): Promise<Uint8Array | null> {
  return readOwn(dirname(folder), LABEL_FILE).catch((error) => {
    if (codeOf(error) === "ENOENT") return null;
    throw error;
  });
}

/** Writes that, or takes it away. */
export function writeLabel(folder: string, file: Uint8Array | null): void {
  try {
    if (file) {
      writeFileSync(`${labelPath(folder)}.new`, file);
      renameSync(`${labelPath(folder)}.new`, labelPath(folder));
    } else rmSync(labelPath(folder), { force: true });
  } catch (error) {
    throw new StorageError(`${labelPath(folder)} cannot be written: ${fileReason(error)}.`);
  }
}

/** The store of a run's folder; it is made when the first save is written. */
export function createFolderStore(folder: string, before: BeforeWrite = () => undefined): RunStore {
  return {
    async list(): Promise<readonly StoredSave[]> {
      const found = await readWhole(folder, (name) => name === MANIFEST);
      if (!found) return [];
      const { list, arrays } = found;
      const label = await readLabel(folder);
      return [{ runId: list.runId, summary: list.summary, manifest: arrays.get(MANIFEST) ?? null, ...(label ? { label } : {}) }];
    },
    async read(_, isWanted = () => true) {
      const arrays = (await readWhole(folder, isWanted))?.arrays;
      const label = arrays && isWanted(LABEL) && (await readLabel(folder));
      return new Map([...(arrays ?? []), ...(label ? ([[LABEL, label]] as const) : [])]);
    },
    async label(_, file) {
      const isThere = (await readList(folder)) !== null;
      if (isThere) writeLabel(folder, file);
      return isThere;
    },
    async open(runId) {
      try {
        mkdirSync(folder, { recursive: true });
      } catch (error) {
        throw new StorageError(`The save in ${folder} cannot be written: ${fileReason(error)}.`);
      }
      return new FolderSave(folder, runId, await readList(folder), before);
    },
  };
}

/** The id under which the parent is read, the run whose weights another begins with. */
export const PARENT = "the run before";

/** A store that also holds the save of the parent; of that one nothing is written. */
export function withParent(own: RunStore, parent: { readonly runId: string; readonly files: ReadonlyMap<string, Uint8Array> }): RunStore {
  let isTaken = false;
  return {
    list: () => own.list(),
    label: (runId, file) => own.label(runId, file),
    read(runId, isWanted) {
      // Both may have the same name: the parent's is read until the run itself begins.
      if (isTaken || runId !== parent.runId) return own.read(runId, isWanted);
      return Promise.resolve(parent.files);
    },
    async open(runId) {
      if (runId === PARENT) return { write: async () => {}, remove: async () => {}, close() {} };
      isTaken = true;
      return own.open(runId);
    },
  };
}
