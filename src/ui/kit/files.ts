// Files that leave the page and that come to it: downloads of charts, rollouts and saved runs, and runs dropped on it with their paths.

/** The last part of a file's path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** All before the last part; "" where a path has one part alone. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf("/")));

/** Hands a file to the browser's downloads. */
export function saveFile(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The download has been taken over by then; keeping the address would keep the bytes.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Copies text that may come later. Safari lets a page copy only while it answers a press, so that what is copied then is a promise. */
export async function copyText(text: Promise<string>): Promise<void> {
  const blob = text.then((known) => new Blob([known], { type: "text/plain" }));
  // Why there is no text comes before why it could not be copied.
  await Promise.all([text, navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })])]);
}

/** Files dropped anywhere on the page are runs to open, by what the caller loads once something is dropped. */
export function followDrops(onDrop: (dropped: readonly (FileSystemEntry | File)[]) => Promise<unknown>): void {
  const mark = document.documentElement.dataset;
  const over = (event: DragEvent) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    // Without this the browser would leave the page for the file.
    event.preventDefault();
    mark.dropping = "";
  };
  window.addEventListener("dragover", over);
  window.addEventListener("dragleave", (event) => !event.relatedTarget && delete mark.dropping);
  window.addEventListener("drop", async (event) => {
    over(event);
    delete mark.dropping;
    // The list is gone once this task is over. Folders are entries; what has none is a file.
    const items = Array.from(event.dataTransfer?.items ?? [], (item) => item.webkitGetAsEntry() ?? item.getAsFile());
    const dropped = items.filter((item) => item !== null);
    if (dropped.length === 0) return;
    await onDrop(dropped);
  });
}
