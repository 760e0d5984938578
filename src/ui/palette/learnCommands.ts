// What the palette has of Learn and of the glossary: every lesson by its title, every word with its definition.
import { lessonHash } from "../learn/address.ts";
import { lessons } from "../learn/lessons/index.ts";
import { GLOSSARY } from "../words/glossary.ts";
import type { PaletteCommand } from "./commands.ts";

export function learnCommands(): readonly PaletteCommand[] {
  const opened = lessons.map(
    ({ id, title, question }, i): PaletteCommand => ({
      ...{ id: `lesson ${id}`, title, group: "Lesson", text: question, words: `${id} learn lesson ${i + 1}` },
      run: () => {
        window.location.hash = lessonHash(id);
      },
    }),
  );
  const words = GLOSSARY.map(
    ({ id, term, text }): PaletteCommand => ({
      ...{ id: `word ${id}`, title: term, group: "Word", text, words: `${id} meaning definition glossary` },
      ...{ word: id, run: () => {} },
    }),
  );
  return [...opened, ...words];
}
