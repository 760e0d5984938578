// What Weights & Biases prints at a run's end, one name a line (wandb: reward 0.0012), and lines of names with their numbers as
// people copy them from a page ("completions/mean_length: 256   reward: 0"). One row of all of them, until a name comes again.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { lines } from "./lines.ts";

const PAIR = /(?<![\w./@])([A-Za-z_][\w./@]*)\s*[:=]\s*([-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?|nan|None)(?=[\s,;|]|$)/gi;
const WANDB = /^\s*wandb:\s+([\w./@-]+)\s+(\S+)\s*$/;
/** Names that only a step of a training has: without one of them, such lines are settings or anything else. */
const MEASURED =
  /^(?:(?:train|actor|critic|completions|rewards?|response_length)\/|reward(?:_std)?$|loss$|kl$|entropy$|grad_norm$|clip_ratio|frac_reward)/;

export const summary: LogForm = {
  id: "summary",
  title: "names with their numbers",
  find(text) {
    const rows: LogEntry[] = [];
    let open: { begin: number; end: number; values: Record<string, LogValue> } | null = null;
    const close = () => {
      if (open && Object.keys(open.values).filter((name) => MEASURED.test(name)).length >= 2) rows.push(open);
      open = null;
    };
    for (const { begin, end, line } of lines(text)) {
      const ofWandb = WANDB.exec(line);
      const pairs: readonly (readonly [string, string])[] = ofWandb
        ? [[ofWandb[1]!, ofWandb[2]!]]
        : [...line.matchAll(PAIR)].map(([, name = "", word = ""]) => [name, word]);
      const left = ofWandb ? "" : line.replace(PAIR, "").replace(/[\s,;|`*-]/g, "");
      const isMeasured = ofWandb !== null || (pairs.some(([name]) => MEASURED.test(name)) && left === "");
      if (!isMeasured) {
        close();
        continue;
      }
      for (const [name, word] of pairs) {
        const value = numberIn(word);
        if (value === undefined) continue;
        if (open && name in open.values) close();
        open ??= { begin, end, values: {} };
        open.values[name] = value;
        open.end = end;
      }
    }
    close();
    return rows;
  },
};
