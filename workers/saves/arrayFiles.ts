// Arrays of saved runs as files of the origin's private file system, which takes hundreds of megabytes without copying them
// through a database. A file has a name that no other ever had and counts once the row of its run names it, so whatever
// ends a write in between leaves a file that nobody names. The lab works without such files, where the browser has or gives none.

/** Where an array lies. */
export interface StoredArray {
  readonly file: string;
  readonly bytes: number;
}

/** Smaller ones lie in the database, which takes less time for them than a file does. */
const LEAST_BYTES = 16 * 1024;
const FOLDER = "saves";

/** The folder; null where this browser keeps no files for the page, or can only read them here. */
async function folderHere(): Promise<FileSystemDirectoryHandle | null> {
  const storage = (globalThis.navigator as Partial<Navigator> | undefined)?.storage;
  if (!storage?.getDirectory || !("createSyncAccessHandle" in FileSystemFileHandle.prototype)) return null;
  // It may have been cleared since it was last asked for.
  return storage.getDirectory().then(
    (root) => root.getDirectoryHandle(FOLDER, { create: true }),
    () => null,
  );
}

const nameOf = (runId: string) => `${encodeURIComponent(runId)}~${crypto.randomUUID()}`;

/** The run of a file's name; null where the lab gave no such name. */
export function runOf(file: string): string | null {
  try {
    return decodeURIComponent(/^(.+)~[0-9a-f-]{36}$/.exec(file)?.[1] ?? "") || null;
  } catch {
    return null;
  }
}

async function writeFile(folder: FileSystemDirectoryHandle, file: string, bytes: Uint8Array): Promise<void> {
  const handle = await (await folder.getFileHandle(file, { create: true })).createSyncAccessHandle();
  try {
    const written = handle.write(bytes as Uint8Array<ArrayBuffer>);
    if (written !== bytes.length) throw new DOMException(`${written} of ${bytes.length} bytes were written`, "QuotaExceededError");
    // The row that names it must not be on the disk before it.
    handle.flush();
  } finally {
    handle.close();
  }
}

/** Removes files; one that cannot go now goes when the lab is opened next. */
export async function removeArrays(files: Iterable<string>): Promise<void> {
  const names = [...files];
  const folder = names.length > 0 ? await folderHere() : null;
  await Promise.all(names.map((file) => folder?.removeEntry(file).catch(() => {})));
}

/**
 * Writes the large ones of these arrays; where they lie. None are written where the browser refuses, for any reason but that its
 * storage is full: then it rejects, and nothing is left behind.
 */
export async function putArrays(runId: string, arrays: ReadonlyMap<string, Uint8Array>): Promise<ReadonlyMap<string, StoredArray>> {
  const large = [...arrays].filter(([, { length }]) => length >= LEAST_BYTES);
  const folder = large.length > 0 ? await folderHere() : null;
  const put = new Map<string, StoredArray>();
  if (!folder) return put;
  try {
    for (const [name, bytes] of large) {
      const file = nameOf(runId);
      put.set(name, { file, bytes: bytes.length });
      await writeFile(folder, file, bytes);
    }
    return put;
  } catch (error) {
    await removeArrays([...put.values()].map(({ file }) => file));
    if (error instanceof DOMException && error.name === "QuotaExceededError") throw error;
    return new Map();
  }
}

/** What lies in a file; null where it is gone. */
export async function readArray(file: string): Promise<Uint8Array | null> {
  const handle = await (await folderHere())?.getFileHandle(file).catch(() => null);
  const bytes = await handle?.getFile().then(
    (content) => content.arrayBuffer(),
    () => null,
  );
  return bytes ? new Uint8Array(bytes) : null;
}

/** The names of all files. */
export async function arrayFiles(): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const name of (await folderHere())?.keys() ?? []) names.push(name);
  return names;
}
