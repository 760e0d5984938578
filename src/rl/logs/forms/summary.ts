// Names with their numbers that are no row of a table: what Weights & Biases prints at a run's end (wandb: reward 0.0012), lists that
// people copy from a page ("completions/mean_length: 256   reward: 0", "• Avg Reward: 0.45"), and tables of names beside their numbers,
// in Markdown or in boxes (| reward | 0.5 |, │reward=0.5 │kl=0.1 │). One row of all of them, until a name comes again.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { isKnownName } from "../programs/index.ts";
import { settingRule } from "../settings.ts";
import { isName, lines } from "./lines.ts";

type Pair = readonly [name: string, value: LogValue];

const NUMBER = String.raw`[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?%?|nan|None`;
/** "reward: 0.5", "reward = 0.5", "reward == 0.5", "reward ~0.5"; "reward 0.5" where the name is known. */
const PAIR = new RegExp(
  String.raw`(?<![\w./@])['"]?([A-Za-z_][\w./@]*)['"]?\s*(?:([:=]{1,2}|[~≈])\s*[~≈]?|\s)\s*(${NUMBER})(?=[\s,;|│]|$)`,
  "gi",
);
const WANDB = /^\s*wandb:\s+([\w./@-]+)\s+(\S+)\s*$/;
const BULLET = new RegExp(String.raw`^\s*[•*·-]\s+([A-Za-z][\w ./%()-]*?)\s*[:=]\s*(${NUMBER})\b`, "i");
const BARS = /[|│┃]/;
/** What every name of something measured has in it: lines without it are passed over at once, since a log has millions of them. */
const STEM =
  /rew|loss|kl|entropy|grad|len|tok|clip|score|adv|acc|correct|ratio|trunc|frac|lr|rate|succ|wrong|diff|env\/|std|mean|max|min|^\s*wandb/i;
/** Rules of a box, with or without a title in them, and bars with nothing between. */
const RULE = /[─━═]{3}|^[\s|│┃+:=-]*$/;

/** A name that only a step of a training has: without one of them, such lines are settings or anything else. */
const isMeasured = (name: string): boolean => isKnownName(name) && settingRule(name) === undefined;

/** Pairs of neighbouring cells, a name and its number; what else stands in a row is none of them. */
function pairsOfCells(line: string): readonly Pair[] {
  const cells = line.split(BARS).map((cell) => cell.replace(/[*`'"]/g, "").trim());
  return cells.flatMap((cell, i): readonly Pair[] => {
    const value = numberIn(cells[i + 1]?.split(/\s+[/(]/, 1)[0] ?? "x");
    return isName(cell) && value !== undefined && numberIn(cell) === undefined && cells[i + 1] !== "" ? [[cell, value]] : [];
  });
}

/** What a line says, and whether it says that alone. */
function pairsOf(line: string): { readonly pairs: readonly Pair[]; readonly isAll: boolean } {
  const named = WANDB.exec(line) ?? BULLET.exec(line);
  if (named) {
    const value = numberIn(named[2]!);
    return { pairs: value === undefined ? [] : [[named[1]!, value]], isAll: true };
  }
  const inCells = BARS.test(line) ? pairsOfCells(line) : [];
  if (inCells.length > 0) return { pairs: inCells, isAll: true };
  const plain = line.length > 20_000 ? "" : line.replace(/\s+\/\s+/g, "/");
  const pairs = [...plain.matchAll(PAIR)].flatMap(([, name = "", sign, word = ""]): readonly Pair[] => {
    const value = numberIn(word);
    return value === undefined || (sign === undefined && !isMeasured(name)) ? [] : [[name, value]];
  });
  return {
    pairs,
    isAll: pairs.length > 0 && plain.replace(PAIR, "").replace(/[\s,;|│┃`*•·-]|\b(?:and|mean|avg|average|final)\b/gi, "") === "",
  };
}

/** Whether a row of such names is one of a training: one name alone has to say where it belongs. */
function isRow(names: readonly string[]): boolean {
  const measured = names.filter(isMeasured);
  return measured.length >= 2 || measured.some((name) => name.includes("/"));
}

export const summary: LogForm = {
  id: "summary",
  title: "names with their numbers",
  find(text) {
    const rows: LogEntry[] = [];
    let open: { begin: number; end: number; values: Record<string, LogValue> } | null = null;
    const close = () => {
      if (open && isRow(Object.keys(open.values))) rows.push(open);
      open = null;
    };
    for (const { begin, end, line } of lines(text)) {
      if (line.trim() === "" || (open === null && !STEM.test(line))) {
        close();
        continue;
      }
      if (RULE.test(line)) continue;
      const { pairs, isAll } = pairsOf(line);
      const known = pairs.filter(([name]) => isMeasured(name)).length;
      if (pairs.length === 0 || !(WANDB.test(line) || (isAll ? known > 0 || open !== null : known >= 3))) {
        close();
        continue;
      }
      for (const [name, value] of pairs) {
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
