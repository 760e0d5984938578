// One run's save in the hands of this engine. A write puts large arrays into files of their own first and then makes one
// transaction, which fails where somebody else has written meanwhile; files that its row does not name any more go last.
// Deleting takes the same order the other way round: first the row and the records, then the files.
import { LABEL } from "../../src/protocol/run/runLabel.ts";
import type { OpenSave, SaveChange } from "../../src/train/host.ts";
import { isArray } from "../../src/train/save/checkpointFiles.ts";
import { putArrays, removeArrays, type StoredArray } from "./arrayFiles.ts";
import type { SaveDatabase, SaveRow } from "./saveDatabase.ts";

/** The keys of a run's files. */
export const filesOf = (runId: string) => IDBKeyRange.bound([runId], [runId, []]);

/** A request that fails ends its transaction, which is waited for and says why. */
function ignore(): void {}

const filesIn = (row: SaveRow | undefined) => Object.values(row?.arrays ?? {}).map(({ file }) => file);

/** What a row names after a change. */
function arraysAfter(
  row: SaveRow | undefined,
  change: SaveChange,
  written: ReadonlyMap<string, StoredArray>,
): NonNullable<SaveRow["arrays"]> {
  const stays = (name: string) => (change.removed === "all others" ? change.stays?.includes(name) : !change.removed.includes(name));
  const before = Object.entries(row?.arrays ?? {}).filter(([name]) => stays(name) && !change.put.has(name));
  return Object.fromEntries([...before, ...written]);
}

async function commit(
  database: SaveDatabase,
  runId: string,
  expected: number | null,
  change: SaveChange,
  written: ReadonlyMap<string, StoredArray>,
): Promise<{ readonly revision: number; readonly replaced: readonly string[] }> {
  const transaction = await database.begin("readwrite");
  const [runs, files] = [transaction.objectStore("runs"), transaction.objectStore("files")];
  transaction.done.catch(ignore);
  try {
    const row = await runs.get(runId);
    const revision = row?.revision ?? 0;
    if (change.removed === "all others") {
      const stays = new Set([LABEL, ...(change.stays ?? [])]);
      for (const key of await files.getAllKeys(filesOf(runId))) if (!stays.has(key[1])) files.delete(key).catch(ignore);
    } else if (revision !== expected) throw new Error("the save is gone or was changed by somebody else");
    else for (const name of change.removed) files.delete([runId, name]).catch(ignore);
    for (const [name, bytes] of change.put) {
      if (written.has(name)) files.delete([runId, name]).catch(ignore);
      else files.put(bytes, [runId, name]).catch(ignore);
    }
    const after = { runId, revision: revision + 1, summary: change.summary, arrays: arraysAfter(row, change, written) };
    await runs.put(after);
    await transaction.done;
    const named = new Set(filesIn(after));
    return { revision: revision + 1, replaced: filesIn(row).filter((file) => !named.has(file)) };
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // It has ended by itself.
    }
    throw transaction.error ?? error;
  }
}

async function write(database: SaveDatabase, runId: string, expected: number | null, change: SaveChange): Promise<number> {
  const written = await putArrays(runId, new Map([...change.put].filter(([name]) => isArray(name))));
  try {
    const { revision, replaced } = await commit(database, runId, expected, change, written);
    await removeArrays(replaced);
    return revision;
  } catch (error) {
    await removeArrays([...written.values()].map(({ file }) => file));
    throw error;
  }
}

async function remove(database: SaveDatabase, runId: string): Promise<void> {
  const transaction = await database.begin("readwrite");
  transaction.done.catch(ignore);
  const row = await transaction.objectStore("runs").get(runId);
  transaction.objectStore("runs").delete(runId).catch(ignore);
  transaction.objectStore("files").delete(filesOf(runId)).catch(ignore);
  await transaction.done;
  await removeArrays(filesIn(row));
}

/** A run that was taken. @param close gives it back. */
export function openSave(database: SaveDatabase, runId: string, close: () => void): OpenSave {
  let revision: number | null = null;
  let last: Promise<unknown> = Promise.resolve();
  // A write that nobody waits for any more must not end after the one that takes its place.
  const inTurn = (work: () => Promise<void>) => {
    const done = last.then(work, work);
    last = done;
    return done;
  };
  return {
    write: (change) =>
      inTurn(async () => {
        revision = await write(database, runId, revision, change);
      }),
    remove: () => inTurn(() => remove(database, runId)),
    close,
  };
}
