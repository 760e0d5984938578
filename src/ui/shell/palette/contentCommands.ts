// What the palette has beside actions and settings: the charts that stand on the page, each with its menu, where
// its table and its files are, and the lessons and words.

import { goTo } from "../../engine/route.ts";
import { GLOSSARY } from "../../kit/words/glossary.ts";
import { lessons } from "../../learn/lessons/index.ts";
import type { PaletteCommand } from "./commands.ts";

/** A chart out of sight is drawn in its turn once it is in sight. */
const PATIENCE_MS = 3000;

/** Brings a chart into sight and opens its menu, once it is drawn; one without values has none. */
function openMenu(frame: HTMLElement): void {
  frame.scrollIntoView({ block: "center" });
  const open = () => {
    const button = frame.querySelector<HTMLElement>(".chart-menu-button");
    if (!button) return false;
    button.focus({ preventScroll: true });
    button.click();
    return true;
  };
  if (open()) return;
  const drawn = new MutationObserver(() => open() && drawn.disconnect());
  drawn.observe(frame, { childList: true, subtree: true });
  setTimeout(() => drawn.disconnect(), PATIENCE_MS);
}

export function chartCommands(): readonly PaletteCommand[] {
  return Array.from(document.querySelectorAll<HTMLElement>("[data-chart]"), (frame) => {
    const title = frame.dataset.chart ?? "";
    const words = "chart table menu scale zoom png csv save";
    return {
      id: `chart ${title}`,
      title: `Chart of ${title}`,
      group: "Chart",
      text: "Opens its menu: as a table, scale, zoom, files",
      words,
      run: () => openMenu(frame),
    };
  });
}

/** Every lesson by its title, every word with its definition. */
export function learnCommands(): readonly PaletteCommand[] {
  const opened = lessons.map(
    ({ id, title, question }, i): PaletteCommand => ({
      id: `lesson ${id}`,
      title,
      group: "Lesson",
      text: question,
      words: `${id} learn lesson ${i + 1}`,
      run: () => {
        goTo("learn", { lesson: id });
      },
    }),
  );
  const words = GLOSSARY.map(
    ({ id, term, text }): PaletteCommand => ({
      id: `word ${id}`,
      title: term,
      group: "Word",
      text,
      words: `${id} meaning definition glossary`,
      word: id,
      run: () => {},
    }),
  );
  return [...opened, ...words];
}
