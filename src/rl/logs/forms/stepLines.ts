// Lines that begin with their step and have its numbers between bars or commas: "Step 12 | Time: 8.1s | Loss: 0.0012 | ..." as prime-rl
// ends a step with, "Iter 20: Train loss 0.010, KL 0.001, ..." as mlx-lm does, and what people print themselves.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { lines } from "./lines.ts";

const HEAD = /\b(?:global[_ ])?(?:step|iter(?:ation)?)\b\s*[:#=]?\s*\[?(\d+)(?:\s*\/\s*\d+)?\]?\s*(?=[|,:;])/i;
/** A name, its number and a unit that may stand behind it. */
const CELL =
  /^\s*([A-Za-z][\w .()/@-]*?)\s*(?:[:=]|\s)\s*([-+]?(?:\d[\d.]*|\.\d+)(?:e[-+]?\d+)?|nan|inf)\s*(%|s|GiB|GB|tokens\/s(?:ample)?)?(?![\w.])/i;

/** The step that a line begins with or that stands on it; undefined where it says none. A progress bar counts something else. */
export const stepOnLine = (line: string): number | undefined => {
  const [, step] = line.includes("%|") ? [] : (HEAD.exec(line) ?? []);
  return step === undefined ? undefined : Number(step);
};

export const stepLines: LogForm = {
  id: "step-lines",
  title: "lines of a step with its numbers between bars or commas",
  find(text) {
    return lines(text).flatMap(({ begin, end, line }): readonly LogEntry[] => {
      const head = line.length > 20_000 || line.includes("%|") ? null : HEAD.exec(line);
      if (head === null) return [];
      const values: Record<string, LogValue> = {};
      for (const cell of line.slice(head.index + head[0].length + 1).split(/[|;]|,(?!\d{3}\b)/)) {
        const [, name = "", word = "", unit] = CELL.exec(cell) ?? [];
        const value = numberIn(word);
        if (name !== "" && value !== undefined) values[name] = value !== null && unit === "%" ? value / 100 : value;
      }
      return Object.keys(values).length < 2 ? [] : [{ begin, end, step: Number(head[1]), values }];
    });
  },
};
