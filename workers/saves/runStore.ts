// Saved runs: records in IndexedDB, large arrays as files (arrayFiles.ts). A run belongs to one engine at a time, by a lock
// that ends with its worker.
import { LABEL } from "../../src/protocol/run/runLabel.ts";
import type { RunStore } from "../../src/train/host.ts";
import { arrayFiles, readArray, removeArrays, runOf } from "./arrayFiles.ts";
import { filesOf, openSave } from "./openSave.ts";
import { SaveDatabase } from "./saveDatabase.ts";

/** Takes a name for this engine; null where another has it, else the function that gives it back. */
export type TakeLock = (name: string) => Promise<(() => void) | null>;

const lockOf = (runId: string) => `rollout-lab/${runId}`;

/** What the database has of a run's files, and which of the wanted ones lie elsewhere. */
async function readRows(database: SaveDatabase, runId: string, isWanted: (name: string) => boolean) {
  const transaction = await database.begin("readonly");
  const files = transaction.objectStore("files");
  const [row, keys] = await Promise.all([transaction.objectStore("runs").get(runId), files.getAllKeys(filesOf(runId))]);
  const wanted = keys.filter(([, name]) => isWanted(name));
  const values = await Promise.all(wanted.map((key) => files.get(key)));
  const here = wanted.flatMap(([, name], i) => (values[i] ? [[name, values[i]] as const] : []));
  const elsewhere = Object.entries(row?.arrays ?? {}).filter(([name]) => isWanted(name));
  return { revision: row?.revision, here, elsewhere };
}

/** Reads a run's files at one moment: where one is gone, somebody has written meanwhile, or it is lost and left out. */
async function readRun(database: SaveDatabase, runId: string, isWanted: (name: string) => boolean) {
  for (let before: number | null = null; ; ) {
    const { revision = 0, here, elsewhere } = await readRows(database, runId, isWanted);
    const read = await Promise.all(elsewhere.map(async ([name, { file }]) => [name, await readArray(file)] as const));
    const there = read.flatMap(([name, bytes]) => (bytes ? [[name, bytes] as const] : []));
    if (there.length === read.length || revision === before) return new Map([...here, ...there]);
    before = revision;
  }
}

/** Names of files, among these, that no row names. */
async function namedByNone(database: SaveDatabase, files: readonly string[]): Promise<readonly string[]> {
  const rows = await (await database.begin("readonly")).objectStore("runs").getAll();
  const named = new Set(rows.flatMap(({ arrays }) => Object.values(arrays ?? {}).map(({ file }) => file)));
  return files.filter((file) => !named.has(file));
}

/** Removes what a write or a deletion that was cut off has left behind; what another engine is writing stays. */
async function removeOrphans(database: SaveDatabase, takeLock: TakeLock): Promise<void> {
  const orphans = await namedByNone(database, await arrayFiles());
  for (const runId of new Set(orphans.flatMap((file) => runOf(file) ?? []))) {
    const release = await takeLock(lockOf(runId));
    if (!release) continue;
    try {
      await removeArrays(
        await namedByNone(
          database,
          orphans.filter((file) => runOf(file) === runId),
        ),
      );
    } finally {
      release();
    }
  }
}

/** The store of this browser; whether anything can be stored shows when it is asked. */
export function createRunStore(takeLock: TakeLock): RunStore {
  const database = new SaveDatabase();
  let isCleaned = false;
  return {
    async list() {
      const transaction = await database.begin("readonly");
      const rows = await transaction.objectStore("runs").getAll();
      const files = transaction.objectStore("files");
      const each = (name: string) => Promise.all(rows.map(({ runId }) => files.get([runId, name])));
      const [manifests, labels] = await Promise.all([each("run"), each(LABEL)]);
      // Once, when somebody has their list; what cannot go now goes when the lab is opened next.
      if (!isCleaned) void removeOrphans(database, takeLock).catch(() => {});
      isCleaned = true;
      const labelOf = (label: Uint8Array | undefined) => (label ? { label } : {});
      return rows.map(({ runId, summary }, i) => ({ runId, summary, manifest: manifests[i] ?? null, ...labelOf(labels[i]) }));
    },
    read: (runId, isWanted = () => true) => readRun(database, runId, isWanted),
    async open(runId) {
      const close = await takeLock(lockOf(runId));
      return close && openSave(database, runId, close);
    },
    async label(runId, file) {
      const transaction = await database.begin("readwrite");
      const files = transaction.objectStore("files");
      const isThere = (await transaction.objectStore("runs").getKey(runId)) !== undefined;
      if (isThere && file) await files.put(file, [runId, LABEL]);
      else if (isThere) await files.delete([runId, LABEL]);
      await transaction.done;
      return isThere;
    },
  };
}
