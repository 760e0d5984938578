// Writes files of the browser's own file system, which get their names when they are whole.
type Folder = FileSystemDirectoryHandle;

/** Writes a file from its beginning, in pieces that are all taken or throw. Streams that would do so are missing in Safari before 26. */
export async function writeAnew(folder: Folder, name: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
  const handle = await (await folder.getFileHandle(name, { create: true })).createSyncAccessHandle();
  try {
    handle.truncate(0);
    let at = 0;
    for await (const piece of pieces) {
      const written = handle.write(piece as Uint8Array<ArrayBuffer>, { at });
      if (written < piece.length) throw new DOMException(`${written} of ${piece.length} bytes were written`, "QuotaExceededError");
      at += written;
    }
    // What names it must not be on the disk before it.
    handle.flush();
  } finally {
    handle.close();
  }
}

/** Gives a file another name, in the place of what has that name. */
export async function moveTo(folder: Folder, from: string, name: string): Promise<void> {
  type Movable = FileSystemFileHandle & { readonly move?: (folder: Folder, name: string) => Promise<void> };
  const handle: Movable = await folder.getFileHandle(from);
  if (!handle.move) throw new Error("this browser cannot give a kept file another name: models cannot be kept here");
  try {
    await handle.move(folder, name);
  } catch {
    // Some take no other's place.
    await folder.removeEntry(name);
    await handle.move(folder, name);
  }
}

/** Writes a file as a whole or not at all. */
export async function writeWhole(folder: Folder, name: string, content: Uint8Array): Promise<void> {
  await writeAnew(folder, `${name}~`, [content]);
  await moveTo(folder, `${name}~`, name);
}
