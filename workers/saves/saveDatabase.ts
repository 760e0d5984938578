// The database of saved runs, opened when it is first asked for and again when the browser has closed it,
// as it does when the site's data are cleared.
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB } from "idb";
import type { StoredArray } from "./arrayFiles.ts";

export interface SaveRow {
  readonly runId: string;
  /** Counts the writes; a write that finds another number does not go on from what is there. */
  readonly revision?: number;
  readonly summary?: unknown;
  /** Files of the save that lie outside the database, by name; what an earlier build wrote lies in it whole. */
  readonly arrays?: Readonly<Record<string, StoredArray>>;
}

export interface SaveSchema extends DBSchema {
  runs: { key: string; value: SaveRow };
  /** Files by run and name. */
  files: { key: [string, string]; value: Uint8Array };
  /** Only before version 2. */
  bytes: { key: string; value: Uint8Array };
}
export type SaveTransaction<M extends IDBTransactionMode> = IDBPTransaction<SaveSchema, ("runs" | "files")[], M>;

/** Version 1 had one row and one block of bytes for each run. */
async function moveVersion1(transaction: IDBPTransaction<SaveSchema, ("runs" | "files" | "bytes")[], "versionchange">): Promise<void> {
  const [runs, files] = [transaction.objectStore("runs"), transaction.objectStore("files")];
  for (let row = await transaction.objectStore("bytes").openCursor(); row; row = await row.continue()) {
    const [runId, block] = [row.primaryKey, row.value];
    const summary = { ...(await runs.get(runId)), bytes: block.length };
    await files.put(block, [runId, "version1"]);
    await runs.put({ runId, revision: 0, summary });
  }
}

/** Opens the database as it is needed; owned state. */
export class SaveDatabase {
  #opening: Promise<IDBPDatabase<SaveSchema>> | null = null;

  #open(): Promise<IDBPDatabase<SaveSchema>> {
    const forget = () => {
      this.#opening = null;
    };
    this.#opening ??= openDB<SaveSchema>("rollout-lab", 2, {
      async upgrade(db, version, _newVersion, transaction) {
        if (!db.objectStoreNames.contains("runs")) db.createObjectStore("runs", { keyPath: "runId" });
        db.createObjectStore("files");
        if (version !== 1) return;
        await moveVersion1(transaction as unknown as IDBPTransaction<SaveSchema, ("runs" | "files" | "bytes")[], "versionchange">);
        db.deleteObjectStore("bytes");
      },
      // A newer version of the lab in another tab may go on.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      terminated: forget,
    });
    this.#opening.then((db) => db.addEventListener("close", forget), forget);
    return this.#opening;
  }

  /** A transaction on both stores; on a connection that has been closed, another try on a new one. */
  async begin<M extends "readonly" | "readwrite">(mode: M): Promise<SaveTransaction<M>> {
    const database = await this.#open();
    try {
      return database.transaction(["runs", "files"], mode);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
      this.#opening = null;
      return (await this.#open()).transaction(["runs", "files"], mode);
    }
  }
}
