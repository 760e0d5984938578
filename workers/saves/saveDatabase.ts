// The database of saved runs.
import type { DBSchema } from "idb";
import { databaseOf } from "../../src/browser/database.ts";
import type { StoredArray } from "./arrayFiles.ts";

export interface SaveRow {
  readonly runId: string;
  /** Counts the writes; a write that finds another number does not go on from what is there. */
  readonly revision?: number;
  readonly summary?: unknown;
  /** Files of the save that lie outside the database, by name. */
  readonly arrays?: Readonly<Record<string, StoredArray>>;
}

interface SaveSchema extends DBSchema {
  runs: { key: string; value: SaveRow };
  /** Files by run and name. */
  files: { key: [string, string]; value: Uint8Array };
}

/** Opens it; rows of its version 1 stay in lists, as runs without a manifest. */
export function saveDatabase() {
  const database = databaseOf<SaveSchema>("rollout-lab", 2, (db, before) => {
    if (before === 0) db.createObjectStore("runs", { keyPath: "runId" });
    else db.deleteObjectStore("bytes" as "files");
    db.createObjectStore("files");
  });
  return { begin: <M extends "readonly" | "readwrite">(mode: M) => database.begin(["runs", "files"], mode) };
}

export type SaveDatabase = ReturnType<typeof saveDatabase>;
