// Dictionaries, one for a step, as Trainer of transformers prints them, loggers write JSON lines and programs print their state: on a line
// of their own, behind a prefix, or over several lines.
import { flatValues, isMap, literalAt } from "../literal.ts";
import type { LogEntry, LogForm } from "../log.ts";

/** Numbers from which a dictionary is taken for what a step measured. */
const FEWEST = 2;
/** How many times its length, and characters in any case, may be read of a text for nothing. */
const PATIENCE = 10;
const LEAST_WASTE = 1e5;

/** So many characters are read between two times that it is told how far it is. */
const TOLD = 2 ** 20;

export const dicts: LogForm = {
  id: "dicts",
  title: "dictionaries of Python or JSON",
  tellsShare: true,
  find(text, onShare) {
    const entries: LogEntry[] = [];
    let wasted = 0;
    let next = TOLD;
    for (let at = text.indexOf("{"); at >= 0; at = text.indexOf("{", at)) {
      if (at >= next) {
        onShare(at / text.length);
        next = at + TOLD;
      }
      const found = literalAt(text, at);
      if (!isMap(found.value)) {
        // Braces that never close would be read to the text's end, each of them.
        wasted += found.end - at;
        if (wasted > PATIENCE * text.length + LEAST_WASTE) break;
        at++;
        continue;
      }
      const { values, words } = flatValues(found.value);
      // OpenRLHF writes the step before the dictionary.
      const step = /global[ _]step:?\s*(\d+)\s*[:,]?\s*$/i.exec(text.slice(Math.max(0, at - 40), at))?.[1];
      if (Object.keys(values).length >= FEWEST)
        entries.push({ begin: at, end: found.end, values, words, ...(step === undefined ? {} : { step: Number(step) }) });
      at = found.end;
    }
    return entries;
  },
};
