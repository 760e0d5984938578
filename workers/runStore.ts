// Saved runs in IndexedDB. Only the newest few are kept; where the browser refuses storage (private
// windows) the engine works on without it.
import { type DBSchema, openDB } from "idb";
import type { RunStore, SavedRun } from "../src/train/host.ts";

const KEPT_RUNS = 5;

interface Schema extends DBSchema {
  runs: { key: string; value: Omit<SavedRun, "bytes">; indexes: { savedAt: number } };
  bytes: { key: string; value: Uint8Array };
}

/** Opens the store, or null where nothing can be stored. */
export async function openRunStore(): Promise<RunStore | null> {
  try {
    const database = await openDB<Schema>("rollout-lab", 1, {
      upgrade(db) {
        db.createObjectStore("runs", { keyPath: "runId" }).createIndex("savedAt", "savedAt");
        db.createObjectStore("bytes");
      },
    });
    const remove = async (runId: string) => {
      const transaction = database.transaction(["runs", "bytes"], "readwrite");
      await Promise.all([transaction.objectStore("runs").delete(runId), transaction.objectStore("bytes").delete(runId), transaction.done]);
    };
    return {
      list: async () => (await database.getAllFromIndex("runs", "savedAt")).reverse(),
      async save({ bytes, ...run }) {
        const transaction = database.transaction(["runs", "bytes"], "readwrite");
        await Promise.all([
          transaction.objectStore("runs").put(run),
          transaction.objectStore("bytes").put(bytes, run.runId),
          transaction.done,
        ]);
        const all = await database.getAllKeysFromIndex("runs", "savedAt");
        for (const old of all.slice(0, -KEPT_RUNS)) await remove(old);
      },
      async load(runId) {
        const [run, bytes] = await Promise.all([database.get("runs", runId), database.get("bytes", runId)]);
        return run && bytes ? { ...run, bytes } : null;
      },
      remove,
    };
  } catch {
    return null;
  }
}
