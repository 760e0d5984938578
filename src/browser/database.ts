// A database of the browser (IndexedDB): opened when it is first asked for, and again when the browser has closed it, as it does when
// the site's data are cleared. The page and its workers keep what they keep in databases of this kind.
import { type DBSchema, type IDBPDatabase, type IDBPTransaction, openDB, type StoreNames } from "idb";

/** A transaction over some of a database's stores. */
type Transaction<S extends DBSchema, N extends StoreNames<S>, M extends IDBTransactionMode> = IDBPTransaction<S, N[], M>;

interface Database<S extends DBSchema> {
  /** A transaction on these stores; on a connection that has been closed, another try on a new one. */
  begin<N extends StoreNames<S>, M extends "readonly" | "readwrite">(stores: readonly N[], mode: M): Promise<Transaction<S, N, M>>;
}

/**
 * The database of that name; whether anything can be kept shows when it is asked.
 * @param upgrade makes the stores that the version before lacks; that version is 0 where there was no database
 */
export function databaseOf<S extends DBSchema>(
  name: string,
  version: number,
  upgrade: (database: IDBPDatabase<S>, before: number) => void,
): Database<S> {
  let opening: Promise<IDBPDatabase<S>> | null = null;
  const forget = () => {
    opening = null;
  };
  const open = () => {
    opening ??= openDB<S>(name, version, {
      upgrade,
      // A newer version of the lab in another tab may go on.
      blocking: (_current, _blocked, event) => (event.target as IDBDatabase).close(),
      terminated: forget,
    });
    opening.then((database) => database.addEventListener("close", forget), forget);
    return opening;
  };
  return {
    async begin(stores, mode) {
      const database = await open();
      try {
        return database.transaction([...stores], mode);
      } catch (error) {
        if (!(error instanceof DOMException) || error.name !== "InvalidStateError") throw error;
        forget();
        return (await open()).transaction([...stores], mode);
      }
    },
  };
}
