// Arrays of saved runs as files of the origin's private file system, which takes hundreds of megabytes without copying them
// through a database. A file has a name that no other ever had and counts once the row of its run names it, so whatever
// ends a write in between leaves a file that nobody names. The lab works without such files, where the browser has or gives none.

/** Where an array lies. */
export interface StoredArray {
  readonly file: string;
  readonly bytes: number;
}

const FOLDER = "saves";

/** The folder; null where this browser keeps no files for the page, or can only read them here. */
export async function folderHere(): Promise<FileSystemDirectoryHandle | null> {
  const storage = (globalThis.navigator as Partial<Navigator> | undefined)?.storage;
  if (!storage?.getDirectory || !("createSyncAccessHandle" in FileSystemFileHandle.prototype)) return null;
  // It may have been cleared since it was last asked for.
  return storage.getDirectory().then(
    (root) => root.getDirectoryHandle(FOLDER, { create: true }),
    () => null,
  );
}

/** The run of a file's name; null where the lab gave no such name. */
export function runOf(file: string): string | null {
  try {
    return decodeURIComponent(/^(.+)~[0-9a-f-]{36}$/.exec(file)?.[1] ?? "") || null;
  } catch {
    return null;
  }
}

/** Removes files; one that cannot go now goes when the lab is opened next. */
export async function removeArrays(files: Iterable<string>): Promise<void> {
  const names = [...files];
  const folder = names.length > 0 ? await folderHere() : null;
  await Promise.all(names.map((file) => folder?.removeEntry(file).catch(() => {})));
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
