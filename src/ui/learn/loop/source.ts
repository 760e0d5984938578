// The readable loop as text: its lines, and where the names stand in one. It is the very file that `npm run essay` runs and
// a test holds to the trainer, taken when the page is built.
import text from "../../../train/grpo.ts?raw";

/** The lines that run in a phase of a lesson. */
export interface LoopPlace {
  /** Each is named by a piece of it that stands in the file once. */
  readonly at: readonly string[];
  /** What the lesson does otherwise than these lines. */
  readonly note?: string;
  /** These lines do not run in the lesson: they stand where it does something else. */
  readonly isInstead?: true;
}

export const LOOP_LINES: readonly string[] = text.trimEnd().split("\n");

/** Numbers, from 0, of the lines with these pieces in them, in the order of the file; a piece that stands nowhere has none. */
export function linesAt(pieces: readonly string[]): readonly number[] {
  return pieces
    .map((piece) => LOOP_LINES.findIndex((line) => line.includes(piece)))
    .filter((i) => i >= 0)
    .sort((a, b) => a - b);
}

export interface LinePart {
  readonly text: string;
  /** What the name stands for, where it is one of those that have a value. */
  readonly value?: string;
}

/**
 * A line cut at the first place of each name that has a value; a field of something else (a.b) is no name, what is
 * spread (...a) is one.
 */
export function piecesOfLine(line: string, values: Readonly<Record<string, string>>): readonly LinePart[] {
  const parts: LinePart[] = [];
  const met = new Set<string>();
  let from = 0;
  for (const { 0: name, index } of line.matchAll(/(?<!\w|(?<!\.\.)\.)[A-Za-z_]\w*/g)) {
    const value = Object.hasOwn(values, name) && !met.has(name) ? values[name] : undefined;
    if (value === undefined) continue;
    met.add(name);
    parts.push({ text: line.slice(from, index) }, { text: name, value });
    from = index + name.length;
  }
  return [...parts, { text: line.slice(from) }].filter((part) => part.text !== "");
}
