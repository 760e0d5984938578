// Saved runs: records in IndexedDB, large arrays as files (arrayFiles.ts). A run belongs to one engine at a time, by a lock
// that ends with its worker.
import { LABEL, type RunStore } from "../../src/train/host.ts";
import { openSave } from "./openSave.ts";
import { lockOf, removeOrphans, type TakeLock } from "./orphans.ts";
import { readRun } from "./readRun.ts";
import { saveDatabase } from "./saveDatabase.ts";

/** The store of this browser; whether anything can be stored shows when it is asked. */
export function createRunStore(takeLock: TakeLock): RunStore {
  const database = saveDatabase();
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
