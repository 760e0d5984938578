// One run's save in the hands of this engine. A write puts large arrays into files of their own first and then makes one
// transaction, which fails where somebody else has written meanwhile; files that its row does not name any more go last.
// Deleting takes the same order the other way round: first the row and the records, then the files.
import { isArray, type OpenSave, type SaveChange } from "../../src/train/host.ts";
import { removeArrays } from "./arrayFiles.ts";
import { commit, filesIn, ignore } from "./commitSave.ts";
import { putArrays } from "./putArrays.ts";
import { filesOf } from "./readRun.ts";
import type { SaveDatabase } from "./saveDatabase.ts";

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
