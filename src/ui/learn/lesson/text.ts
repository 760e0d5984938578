// How a lesson's texts are read: {spread} stands for what its state has under that name, {first.dead} for a part of it; a
// question has its answers below it.
import { measureText, shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import { formatNumber } from "../../kit/charts/format.ts";

/** What names stand for: those of a state, or the columns of a row of it. */
export type Words = Readonly<Record<string, unknown>>;

/** What stands under a name, or under "first.dead" in a part of it; NaN for a part of something that no run has brought yet. */
export function valueAt(words: Words, name: string): unknown {
  const [first = "", ...parts] = name.split(".");
  const whole = words[first];
  return parts.length === 0 ? whole : (parts.reduce<unknown>((part, key) => (part as Words | undefined)?.[key], whole) ?? Number.NaN);
}

/** Behind a name and a colon: {push:+}, {dead:%}, {parameters:#}. */
const FORMATS: Readonly<Record<string, (value: number) => string>> = {
  "": measureText,
  "+": signedMeasureText,
  "%": shareText,
  "#": (value) => formatNumber(value),
};

/** What a name stands for as it is written: a text as it is, a number as a measure where no format is named. Throws for all else. */
export function written(words: Words, name: string, format = ""): string {
  const value = valueAt(words, name);
  if (typeof value === "string") return value;
  const write = FORMATS[format];
  if (typeof value !== "number" || !write) throw new Error(`internal: no number or text {${name}${format && `:${format}`}}`);
  return write(value);
}

/** A name in a text; what stands behind "@" is the symbol of a formula that the number belongs to. */
export const NAMED = /\{(?<name>[\w.]+)(?::(?<format>[+%#]))?(?:@(?<symbol>\w+))?\}/;

/** A plain text with its numbers in it. */
export function fill(text: string, words: Words): string {
  return text.replaceAll(new RegExp(NAMED, "g"), (_, name: string, format?: string) => written(words, name, format));
}

/** TeX with numbers where it has \num{name}; its minus is a hyphen. */
export function fillTex(tex: string, words: Words): string {
  return tex.replaceAll(/\\num\{([\w.]+):?([+%#])?\}/g, (_, name: string, format?: string) =>
    written(words, name, format).replace("−", "-"),
  );
}

export interface Answer {
  readonly text: string;
  readonly reason: string;
  readonly isRight: boolean;
}

export interface Question {
  readonly text: string;
  /** None where a number is asked for. */
  readonly options: readonly Answer[];
}

/**
 * Reads a question with its answers below it: "- [x] the right one", "- [ ] another", and under each why it is right or what it
 * overlooks. Throws where a mark is neither "[x]" nor "[ ]".
 */
export function readQuestion(written: string): Question {
  const [text = "", ...answers] = written.split(/^ *- (?=\[)/m);
  const options = answers.map((answer) => {
    const [, mark, said = "", reason = ""] = /^\[([x ])\] (.+)\n?([\s\S]*)$/.exec(answer) ?? [];
    if (mark === undefined) throw new Error(`an answer of a lesson must begin with "- [x] " or "- [ ] ", got ${answer}`);
    return { text: said, reason: reason.trim().replaceAll(/\s*\n\s*/g, " "), isRight: mark === "x" };
  });
  return { text: text.trim(), options };
}
