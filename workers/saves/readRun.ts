// Reads the files of a run as they stand at one moment, those in the database and those that lie outside it. Whoever has
// the run may write meanwhile: it names new files before it removes those of before, so one that is gone is looked for again.
import { readArray } from "./arrayFiles.ts";
import type { SaveDatabase } from "./saveDatabase.ts";

/** The keys of a run's files. */
export const filesOf = (runId: string) => IDBKeyRange.bound([runId], [runId, []]);

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
export async function readRun(database: SaveDatabase, runId: string, isWanted: (name: string) => boolean) {
  for (let before: number | null = null; ; ) {
    const { revision = 0, here, elsewhere } = await readRows(database, runId, isWanted);
    const read = await Promise.all(elsewhere.map(async ([name, { file }]) => [name, await readArray(file)] as const));
    const there = read.flatMap(([name, bytes]) => (bytes ? [[name, bytes] as const] : []));
    if (there.length === read.length || revision === before) return new Map([...here, ...there]);
    before = revision;
  }
}
