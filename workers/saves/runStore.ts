// Saved runs in IndexedDB. A run belongs to one engine at a time, by a lock that ends with its worker.
import { LABEL } from "../../src/protocol/run/runLabel.ts";
import type { RunStore } from "../../src/train/host.ts";
import { filesOf, openSave } from "./openSave.ts";
import { SaveDatabase } from "./saveDatabase.ts";

/** Takes a name for this engine; null where another has it, else the function that gives it back. */
export type TakeLock = (name: string) => Promise<(() => void) | null>;

/** The store of this browser; whether anything can be stored shows when it is asked. */
export function createRunStore(takeLock: TakeLock): RunStore {
  const database = new SaveDatabase();
  return {
    async list() {
      const transaction = await database.begin("readonly");
      const rows = await transaction.objectStore("runs").getAll();
      const files = transaction.objectStore("files");
      const each = (name: string) => Promise.all(rows.map(({ runId }) => files.get([runId, name])));
      const [manifests, labels] = await Promise.all([each("run"), each(LABEL)]);
      const labelOf = (label: Uint8Array | undefined) => (label ? { label } : {});
      return rows.map(({ runId, summary }, i) => ({ runId, summary, manifest: manifests[i] ?? null, ...labelOf(labels[i]) }));
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
