// Names and numbers in a row on one line: verl's console ("step:12 - actor/kl_loss:0.001 - ..."), and the end of a progress bar
// ("act_loss=-0.01, reward=0.4, ..."), of which the last state on a line counts.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { lines } from "./lines.ts";
import { stepOnLine } from "./stepLines.ts";

const NUMBER = String.raw`(?:np\.\w+\()?[-+]?(?:\d[\d_]*\.?\d*(?:e[-+]?\d+)?|\.\d+|nan|inf|None)\)?`;
/** A name begins where none goes on, so that long words are looked at once. */
const STYLES = [
  { pair: new RegExp(String.raw`(?<![\w./@()-])([A-Za-z_][\w./@()-]*):\s?(${NUMBER})(?=\s+-\s|\s*$)`, "g"), fewest: 3 },
  { pair: new RegExp(String.raw`(?<![\w./@])([A-Za-z_][\w./@]*)=(${NUMBER})(?=[,\s\])]|$)`, "g"), fewest: 3 },
] as const;

export const keyValues: LogForm = {
  id: "key-values",
  title: "lines of names and numbers",
  find(text) {
    return lines(text).flatMap(({ begin, end, line }): readonly LogEntry[] => {
      // A progress bar writes over itself.
      const last = line.slice(line.lastIndexOf("\r") + 1);
      for (const { pair, fewest } of STYLES) {
        const values: Record<string, LogValue> = {};
        for (const [, name = "", word = ""] of last.matchAll(pair)) {
          const value = numberIn(word);
          if (value !== undefined) values[name] = value;
        }
        if (Object.keys(values).length < fewest) continue;
        const step = stepOnLine(last);
        return [{ begin, end, values, ...(step === undefined ? {} : { step }) }];
      }
      return [];
    });
  },
};
