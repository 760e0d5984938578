// Saved runs in IndexedDB. A run belongs to one engine at a time, by a lock that ends with its worker.
import type { OpenSave, RunStore, SaveChange } from "../src/train/host.ts";
import { SaveDatabase } from "./saveDatabase.ts";

/** Takes a name for this engine; null where another has it, else the function that gives it back. */
export type TakeLock = (name: string) => Promise<(() => void) | null>;

const filesOf = (runId: string) => IDBKeyRange.bound([runId], [runId, []]);

/** A request that fails ends its transaction, which is waited for and says why. */
function ignore(): void {}

async function write(database: SaveDatabase, runId: string, expected: number | null, change: SaveChange): Promise<number> {
  const transaction = await database.begin("readwrite");
  const [runs, files] = [transaction.objectStore("runs"), transaction.objectStore("files")];
  transaction.done.catch(ignore);
  try {
    const revision = (await runs.get(runId))?.revision ?? 0;
    if (change.removed === "all others") await files.delete(filesOf(runId));
    else if (revision !== expected) throw new Error("the save is gone or was changed by somebody else");
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

function openSave(database: SaveDatabase, runId: string, close: () => void): OpenSave {
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

/** The store of this browser; whether anything can be stored shows when it is asked. */
export function createRunStore(takeLock: TakeLock): RunStore {
  const database = new SaveDatabase();
  return {
    async list() {
      const transaction = await database.begin("readonly");
      const rows = await transaction.objectStore("runs").getAll();
      const manifests = await Promise.all(rows.map(({ runId }) => transaction.objectStore("files").get([runId, "run"])));
      return rows.map(({ runId, summary }, i) => ({ runId, summary, manifest: manifests[i] ?? null }));
    },
    async read(runId) {
      const files = (await database.begin("readonly")).objectStore("files");
      const [keys, values] = await Promise.all([files.getAllKeys(filesOf(runId)), files.getAll(filesOf(runId))]);
      return new Map(keys.map(([, name], i) => [name, values[i]!]));
    },
    async open(runId) {
      const close = await takeLock(`rollout-lab/${runId}`);
      return close && openSave(database, runId, close);
    },
  };
}
