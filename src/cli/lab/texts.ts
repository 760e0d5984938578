// How the command line writes numbers, times and tables for people.
import { meanOf } from "../../rl/advantage/statistics.ts";

/** Rows with their cells one below another, each a line, whatever somebody called a run. */
export function columns(given: readonly (readonly string[])[]): string {
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/\s*\n\s*/g, " ")));
  const widths: number[] = [];
  for (const row of rows) for (const [i, cell] of row.entries()) widths[i] = Math.max(widths[i] ?? 0, cell.length);
  return rows.map((row) => row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join("  ")).join("\n");
}

/** "0.4 s", "3 min 12 s", "2 h 5 min". */
export function duration(seconds: number): string {
  if (seconds < 100) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 100) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A whole number with commas between thousands, "12,300"; the locale tables of Intl take longer to load than a small run. */
export function count(value: number): string {
  return String(Math.round(value)).replaceAll(/\B(?=(\d{3})+$)/g, ",");
}

/** A word as a shell reads it whole, on one line. */
export function shellWord(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  const quoted = word.replaceAll("'", "'\\''");
  // A sentence is one line: bash and zsh read these escapes.
  return /[\n\r\t]/.test(word) ? `$'${quoteEscaped(word)}'` : `'${quoted}'`;
}

const quoteEscaped = (word: string) =>
  word.replaceAll("\\", "\\\\").replaceAll("'", "\\'").replaceAll("\n", "\\n").replaceAll("\r", "\\r").replaceAll("\t", "\\t");

/** A path or a name that a verb is given, as a shell and the verb read it: one that begins with a dash would be an option. */
export const operandWord = (word: string): string => shellWord(word.startsWith("-") ? `./${word}` : word);

const BARS = "▁▂▃▄▅▆▇█";

/** A curve as one line of text, each character the mean of its share of the values. */
export function sparkline(values: readonly number[], width = 24): string {
  const known = values.filter(Number.isFinite);
  if (known.length === 0) return "";
  const cells = Math.min(width, known.length);
  const means = Array.from({ length: cells }, (_, i) => {
    const part = known.slice(Math.floor((i * known.length) / cells), Math.floor(((i + 1) * known.length) / cells));
    return meanOf(part);
  });
  const low = Math.min(...means);
  const high = Math.max(...means);
  const level = (value: number) => (high === low ? 0 : Math.round(((value - low) / (high - low)) * (BARS.length - 1)));
  return means.map((value) => BARS[level(value)]).join("");
}
