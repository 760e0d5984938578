// Files that the page makes: images and tables of charts, rollouts, saved runs.

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
