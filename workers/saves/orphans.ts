// Files of saves that no run names, as a write or a deletion that was cut off leaves them, and the lock under which they go.
import { arrayFiles, removeArrays, runOf } from "./arrayFiles.ts";
import { filesIn } from "./commitSave.ts";
import type { SaveDatabase } from "./saveDatabase.ts";

/** Takes a name for this engine; null where another has it, else the function that gives it back. */
export type TakeLock = (name: string) => Promise<(() => void) | null>;

/** The lock of a run. */
export const lockOf = (runId: string) => `rollout-lab/${runId}`;

/** Names of files, among these, that no row names. */
async function namedByNone(database: SaveDatabase, files: readonly string[]): Promise<readonly string[]> {
  const rows = await (await database.begin("readonly")).objectStore("runs").getAll();
  const named = new Set(rows.flatMap(filesIn));
  return files.filter((file) => !named.has(file));
}

/** Removes what a write or a deletion that was cut off has left behind; what another engine is writing stays. */
export async function removeOrphans(database: SaveDatabase, takeLock: TakeLock): Promise<void> {
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
