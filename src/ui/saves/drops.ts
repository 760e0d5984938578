// Files dropped anywhere on the page are runs to open. What reads them loads when something is dropped.
import { openDialog } from "../shell/dialogStore.ts";

export function followDrops(): void {
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
    try {
      const { bringDropped } = await import("./brought.ts");
      await bringDropped(dropped);
    } catch {
      // The list of saved runs loads the same code, and says what is wrong with it.
      openDialog("saves");
    }
  });
}
