// One change of a run's save as one transaction: its row, the records that come and go, and which arrays lie in files.
import { LABEL, type SaveChange } from "../../src/train/host.ts";
import type { StoredArray } from "./arrayFiles.ts";
import { filesOf } from "./readRun.ts";
import type { SaveDatabase, SaveRow } from "./saveDatabase.ts";

/** A request that fails ends its transaction, which is waited for and says why. */
export function ignore(): void {}

/** The files that a row names. */
export const filesIn = (row: SaveRow | undefined) => Object.values(row?.arrays ?? {}).map(({ file }) => file);

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

/**
 * Makes the change; files that were named before and are not any more can go then. Rejects where the save is not as the
 * last write left it.
 */
export async function commit(
  database: SaveDatabase,
  runId: string,
  expected: number | null,
  change: SaveChange,
  written: ReadonlyMap<string, StoredArray>,
): Promise<{ readonly revision: number; readonly replaced: readonly string[] }> {
  const transaction = await database.begin("readwrite");
  const runs = transaction.objectStore("runs");
  const files = transaction.objectStore("files");
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
