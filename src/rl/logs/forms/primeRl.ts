// The lines that prime-rl's trainer and orchestrator end a step with: "Step 12 | Time: 8.1s | Loss: 0.0012 | Mismatch KL: 0.0007 | ...".
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { lines } from "./lines.ts";

const HEAD = /\bStep:?\s+(\d+)\s*(?=\|)/;
/** Units that stand behind a number; a percent is a share of one hundred. */
const CELL = /^\s*([A-Za-z][\w .()/-]*?):?\s+([-+]?[\d.]+(?:e[-+]?\d+)?|nan|inf)\s*(%|s|GiB|tokens\/s(?:ample)?)?\b/i;

export const primeRlLines: LogForm = {
  id: "step-lines",
  title: "lines of a step with its numbers between bars",
  find(text) {
    return lines(text).flatMap(({ begin, end, line }): readonly LogEntry[] => {
      const head = HEAD.exec(line);
      if (head === null) return [];
      const values: Record<string, LogValue> = {};
      for (const cell of line.slice(head.index + head[0].length).split("|")) {
        const [, name = "", word = "", unit] = CELL.exec(cell) ?? [];
        const value = numberIn(word);
        if (name !== "" && value !== undefined) values[name] = value !== null && unit === "%" ? value / 100 : value;
      }
      return Object.keys(values).length < 2 ? [] : [{ begin, end, step: Number(head[1]), values }];
    });
  },
};
