// Dictionaries that were cut short, elided or lost their brace as they were pasted: {'loss': 0.0, 'reward': 0.5, 'clip_r. Whole pairs of a
// quoted name and a number are read, on one line or one a line; a number at which the text breaks off may lack digits, and is left out.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { lines } from "./lines.ts";

const PAIR =
  /(['"])([A-Za-z_][^'"\n:]{0,150})\1\s*:\s*["']?((?:np\.\w+\(|tensor\()?[-+]?(?:\d[\d_]*\.?\d*(?:e[-+]?\d+)?|\.\d+|nan|inf|none|null)(?:[^(),]{0,20}\))?)["']?(?=\s*[,}\]])/gi;
/** Pairs from which such a stretch is taken for what a step measured. */
const FEWEST = 3;

export const brokenDicts: LogForm = {
  id: "broken-dicts",
  title: "parts of dictionaries",
  find(text) {
    const found: LogEntry[] = [];
    let open: { begin: number; end: number; values: Record<string, LogValue> } | null = null;
    const close = () => {
      if (open && Object.keys(open.values).length >= FEWEST) found.push(open);
      open = null;
    };
    for (const { begin, end, line } of lines(text)) {
      let isEmpty = true;
      for (const [, , name = "", word = ""] of line.matchAll(PAIR)) {
        const value = numberIn(word);
        if (value === undefined) continue;
        isEmpty = false;
        if (open && name in open.values) close();
        open ??= { begin, end, values: {} };
        open.values[name] = value;
        open.end = end;
      }
      if (isEmpty) close();
    }
    close();
    return found;
  },
};
