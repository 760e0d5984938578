// One run's save in the hands of this engine: each write is one transaction, which fails where somebody else has written meanwhile.
import { LABEL } from "../../src/protocol/run/runLabel.ts";
import type { OpenSave, SaveChange } from "../../src/train/host.ts";
import type { SaveDatabase } from "./saveDatabase.ts";

/** The keys of a run's files. */
export const filesOf = (runId: string) => IDBKeyRange.bound([runId], [runId, []]);

/** A request that fails ends its transaction, which is waited for and says why. */
function ignore(): void {}

async function write(database: SaveDatabase, runId: string, expected: number | null, change: SaveChange): Promise<number> {
  const transaction = await database.begin("readwrite");
  const [runs, files] = [transaction.objectStore("runs"), transaction.objectStore("files")];
  transaction.done.catch(ignore);
  try {
    const revision = (await runs.get(runId))?.revision ?? 0;
    if (change.removed === "all others") {
      const stays = new Set([LABEL, ...(change.stays ?? [])]);
      for (const key of await files.getAllKeys(filesOf(runId))) if (!stays.has(key[1])) files.delete(key).catch(ignore);
    } else if (revision !== expected) throw new Error("the save is gone or was changed by somebody else");
    else for (const name of change.removed) files.delete([runId, name]).catch(ignore);
    for (const [name, bytes] of change.put) files.put(bytes, [runId, name]).catch(ignore);
    await runs.put({ runId, revision: revision + 1, summary: change.summary });
    await transaction.done;
    return revision + 1;
  } catch (error) {
    try {
      transaction.abort();
    } catch {
      // It has ended by itself.
    }
    throw transaction.error ?? error;
  }
}

/** A run that was taken. @param close gives it back. */
export function openSave(database: SaveDatabase, runId: string, close: () => void): OpenSave {
  let revision: number | null = null;
  return {
    async write(change) {
      revision = await write(database, runId, revision, change);
    },
    async remove() {
      const transaction = await database.begin("readwrite");
      transaction.objectStore("runs").delete(runId).catch(ignore);
      transaction.objectStore("files").delete(filesOf(runId)).catch(ignore);
      await transaction.done;
    },
    close,
  };
}
