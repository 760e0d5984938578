// What is read of a log that another program wrote: stretches of its text that hold numbers, under the program's own names. A form
// says how such a stretch looks; a program says what its names mean. Neither guesses: what no form knows is left out and counted.

/** A number as the log has it; null where it says nan, None or inf, which is no number and no 0. */
export type LogValue = number | null;

/** One stretch of a log: the numbers of one step, or settings. */
export interface LogEntry {
  /** Where it lies in the text: from the first character to after the last. */
  readonly begin: number;
  readonly end: number;
  /** The step, where the form itself says it and no column does. */
  readonly step?: number;
  readonly values: Readonly<Record<string, LogValue>>;
  /** Words beside the numbers, by name: settings such as a loss type. */
  readonly words?: Readonly<Record<string, string>>;
  /** Settings of the run, not what a step measured. */
  readonly isSettings?: true;
}

/** A way in which programs write their logs down. */
export interface LogForm {
  readonly id: string;
  /** As a reader calls it: "lines of Python dictionaries". */
  readonly title: string;
  /** Whether it tells how far it is: the form of most long logs does. */
  readonly tellsShare?: true;
  /** What of this form the text holds, in its order. Stretches that an earlier form has read are blank. */
  find(text: string, onShare: OnShare): readonly LogEntry[];
}

/** Called from time to time with the share of the reading that is done. */
export type OnShare = (share: number) => void;

/** A program's name for something measured, and this lab's, which follows TRL's. */
export interface NameRule {
  /** The name, or a pattern of names whose groups `to` takes up as $1. */
  readonly from: string | RegExp;
  readonly to: string;
  /** Where the two do not mean quite the same: what the reader is told. */
  readonly says?: string;
  /** The value under this lab's name; left out where it is the same number. */
  readonly turn?: (value: number) => number;
}

/** A program whose logs are known. */
export interface LogProgram {
  readonly id: string;
  readonly title: string;
  /** Names that only this program has: one of them tells it. */
  readonly marks: readonly RegExp[];
  /** Names of the column that counts steps, the best first. */
  readonly steps: readonly string[];
  readonly names: readonly NameRule[];
  /** Its name for each setting that it calls otherwise than TRL does, for what a reader is asked to look up. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** A column of a log, as it was taken. */
export interface LogName {
  /** As the log writes it. */
  readonly from: string;
  /** This lab's key; null where the column is not used. */
  readonly to: string | null;
  /** How many steps have a number there, and how many say nan or None. */
  readonly count: number;
  readonly unknown: number;
  readonly says?: string;
}

/** A setting that the log tells. */
export interface LogSetting {
  readonly from: string;
  readonly to: string;
  readonly value: number | string | boolean;
}

/** The numbers of one step. */
export interface LogRow {
  readonly step: number;
  /** Under this lab's keys, finite ones only. */
  readonly metrics: Readonly<Record<string, number>>;
  /** Keys whose number the log gives as nan or None. */
  readonly unknown: readonly string[];
}

/** Names that are kept in mind, after which all are forgotten. */
const MOST_REMEMBERED = 5000;

/** A function of a name that remembers: a log has the same few names on each of a million lines. */
export function remembered<T>(of: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined || known.has(name)) return before as T;
    const value = of(name);
    if (known.size >= MOST_REMEMBERED) known.clear();
    known.set(name, value);
    return value;
  };
}

/** Whitespace around and within a name, and its case where that is only style, say nothing: "completions / mean_length". */
export const plainName = remembered((name) =>
  name
    .trim()
    .replace(/\s*\/\s*/g, "/")
    .replace(/\s+/g, " "),
);

const NOTHING = /^(?:[-+]?(?:nan|inf(?:inity)?)|none|null|n\/a|-|–|)$/i;
const NUMBER = /^[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i;

const WRAPPED = /^(?:np\.|numpy\.|torch\.|jnp\.)?(?:float\d*|int\d*|tensor|array)\(\s*\[*(.*?)\]*(?:,.*)?\)$/i;
/** A number with a comma at each thousand. */
const THOUSANDS = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;

/**
 * What a cell or a word is: a number, null for no number, or undefined for other text. Wrappers such as np.float64(0.5) and tensor(0.5)
 * are taken off, and so is a spread behind ±; a percent is a share of one hundred.
 */
export function numberIn(text: string): LogValue | undefined {
  const bare = text
    .trim()
    .replace(WRAPPED, "$1")
    .split(/\s*(?:±|\+\/-)/, 1)[0]!;
  if (NOTHING.test(bare)) return null;
  const [plain, isShare] = bare.endsWith("%") ? [bare.slice(0, -1).trim(), true] : [bare, false];
  if (!NUMBER.test(plain) && !THOUSANDS.test(plain)) return undefined;
  const value = Number(plain.replaceAll(/[_,]/g, ""));
  return isShare ? value / 100 : value;
}
