// Turns schema violations into sentences that name the field, the rule and the value:
// "groupSize must be >= 2, got 1". Sentences stay short, however long what was given is: one repeats at
// most 60 characters of it, and a message has three of them.
import type { z } from "zod";
import { nearestName } from "./nearestName.ts";

/** What engines say of calls that lie too deep in each other. */
const TOO_DEEP = /call stack|too much recursion/i;

/** A file may bring its own message, as long as it likes. */
const LONGEST_SENTENCE = 4000;

/** The sentence of whatever was thrown. */
export function errorText(error: unknown): string {
  const said = error instanceof Error ? error.message : String(error);
  if (TOO_DEEP.test(said)) return "its parts must not lie this deep in each other";
  return said.length > LONGEST_SENTENCE ? `${said.slice(0, LONGEST_SENTENCE)} …` : said;
}

/** What `work` gives; what it throws is said in other words. */
export function orThrow<T>(work: () => T, said: (error: unknown) => Error): T {
  try {
    return work();
  } catch (error) {
    throw said(error);
  }
}

/** JSON of a text; where it is none, the error that `said` makes of the fault is thrown. */
export const parsedJson = (text: string, said: (cause: unknown) => Error): unknown => orThrow(() => JSON.parse(text), said);

/** What `work` gives, or something else where it throws. */
export function orElse<T, E>(work: () => T, otherwise: E): T | E {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** One violated rule. */
export interface Problem {
  /** Dotted path of the field, empty for the whole value. */
  readonly field: string;
  readonly message: string;
}

/**
 * What a program can tell apart of what went wrong. Input: what was given is wrong. Overtaken: a later command came in
 * between, and nothing is wrong. Closed: who was asked had been closed. Failed: all else.
 */
export type ErrorKind = "input" | "overtaken" | "closed" | "failed";

/**
 * Whatever the library throws: its message is a sentence for people, its kind what a program can tell apart, its
 * problems the fields that are wrong.
 */
export class LabError extends Error {
  override readonly name: string = "LabError";
  readonly kind: ErrorKind;
  readonly problems: readonly Problem[];
  constructor(message: string, kind: ErrorKind, problems: readonly Problem[] = [], options: ErrorOptions = {}) {
    super(message, options);
    this.kind = kind;
    this.problems = problems;
  }
}

/** Whatever was thrown, as the library throws it. */
export function labError(error: unknown): LabError {
  const { kind, problems } = error instanceof LabError ? error : { kind: "failed" as const, problems: [] };
  return new LabError(errorText(error), kind, problems, { cause: error });
}

/** An error whose message can be shown to a user as it is. */
export class InputError extends LabError {
  override readonly name = "InputError";
  constructor(problems: readonly Problem[]) {
    super(asOneMessage(problems.map((problem) => problem.message)), "input", problems);
  }
}

/** What stopped a step and left the run as it was before it: it can go on from there. */
export class Recoverable extends Error {}

/** A request that came to nothing because of a later one: nothing is wrong. */
export class Overtaken extends LabError {
  override readonly name = "Overtaken";
  constructor(message: string) {
    super(message, "overtaken");
  }
}

/** A command that the engine did not carry out, in its words. */
export class Refused extends Error {
  override readonly name = "Refused";
  /** Because another tab has the run; a copy of it can go on here. */
  readonly inOtherTab: boolean;
  /** The setting that it is about; null where it is about none. */
  readonly field: string | null;
  constructor(
    message: string,
    { inOtherTab = false, field = null }: { readonly inOtherTab?: boolean; readonly field?: string | null } = {},
  ) {
    super(message);
    this.inOtherTab = inOtherTab;
    this.field = field;
  }
}

/** Whether a value from outside has named fields. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Most characters of a value in a sentence; the same for all that one sentence repeats. */
const MOST_SHOWN = 60;
/** Most sentences of one message. */
const MOST_SENTENCES = 3;

/** Sentences as one message: the first few, and how many more there are. */
export function asOneMessage(sentences: readonly string[]): string {
  const left = sentences.length - MOST_SENTENCES;
  const first = sentences.slice(0, MOST_SENTENCES).join("; ");
  return left > 0 ? `${first}; and ${left} more` : first;
}

/** A text cut to a length, with three dots where it was longer. */
export function shortened(text: string, most = MOST_SHOWN): string {
  return text.length > most ? `${text.slice(0, most - 3)}...` : text;
}

/** Renders any value for an error message, at most 60 characters of it or as many as said. */
export function showValue(value: unknown, most = MOST_SHOWN): string {
  return shortened(written(value, most), most);
}

/** Whether a value is an object of named fields and nothing more. */
export function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** JSON of a value, or words for what has none; ends soon after `most` characters, however large or circular the value is. */
function written(value: unknown, most: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, most));
  if (typeof value === "function") return "a function";
  if (typeof value !== "object" || value === null) return String(value);
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return Object.prototype.toString.call(value);
  let text = "";
  for (const key in value) {
    if (text.length >= most) break;
    const entry = written((value as Readonly<Record<string, unknown>>)[key], most - text.length);
    text += `${text === "" ? "" : ","}${isList ? "" : `${JSON.stringify(key.slice(0, most))}:`}${entry}`;
  }
  return isList ? `[${text}]` : `{${text}}`;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const key of path) value = typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[key] : undefined;
  return value;
}

/** What a limit counts, where it is not the value itself. */
const COUNTED: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ["character", "characters"],
  array: ["entry", "entries"],
};

function count(number: number, [one, many]: readonly [one: string, many: string]): string {
  return `${number} ${number === 1 ? one : many}`;
}

function limit(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): string {
  const [sign, bound, words] =
    issue.code === "too_small" ? ([">", issue.minimum, "at least"] as const) : (["<", issue.maximum, "at most"] as const);
  const counted = COUNTED[issue.origin];
  if (counted) return `must have ${words} ${count(Number(bound), counted)}`;
  return `must be ${sign}${issue.inclusive === false ? "" : "="} ${bound}`;
}

function rule(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "too_small":
    case "too_big":
      return limit(issue);
    case "invalid_type":
      return `must be ${issue.expected === "int" ? "a whole number" : `${/^[aeiou]/.test(issue.expected) ? "an" : "a"} ${issue.expected}`}`;
    case "invalid_value":
      return `must be ${issue.values.length === 1 ? "" : "one of "}${issue.values.map((value) => showValue(value)).join(", ")}`;
    default:
      return issue.message;
  }
}

/** What was given: the value, or how long it is where it is too long. */
function given(issue: z.core.$ZodIssue, value: unknown, most: number): string {
  const counted = issue.code === "too_big" ? COUNTED[issue.origin] : undefined;
  return counted && (typeof value === "string" || Array.isArray(value)) ? count(value.length, counted) : showValue(value, most);
}

/** `(did you mean "digit-sum"?)` with a space before it, or nothing. */
function meant(given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  return near === null ? "" : ` (did you mean ${showValue(near)}?)`;
}

/** So many names are listed whole; of more the first ones. */
const FEW = 8;
const FIRST = 4;

/** What is said of a name that is not known: the few there are, of many the nearest, or the first ones where none is near. */
export function unknownName(field: string, given: string, known: readonly string[]): string {
  const near = meant(given, known);
  const isFew = known.length <= FEW;
  const names = known.map((name) => showValue(name));
  const choices = isFew
    ? names.join(", ")
    : near
      ? `the ${known.length} known ones`
      : `${names.slice(0, FIRST).join(", ")} or ${known.length - FIRST} others`;
  return `${field} must be one of ${choices}, got ${showValue(given)}${near}`;
}

/** Unknown fields of one object for which the nearest is looked for: who has more of them mistyped none. */
const MOST_MEANT = 20;

/** What is said of a field that is not known. */
export function unknownField(name: string, known: readonly string[]): string {
  return `unknown field ${showValue(name)}${meant(name, known)}`;
}

/**
 * All violated rules of one failed parse; `input` is the value that was parsed.
 * @param known names of the fields there are, for who mistyped one: dotted, as in "taskOptions.length".
 */
export function problemsOf(error: z.ZodError, input: unknown, known: readonly string[] = []): readonly Problem[] {
  return error.issues.flatMap((issue): Problem[] => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys")
      return issue.keys.map((key, i) => {
        const field = path ? `${path}.${key}` : key;
        return { field, message: unknownField(field, i < MOST_MEANT ? known : []) };
      });
    // The entries of a record are named by whoever gave it: name and value share the length.
    const [name, most] = issue.path.length > 1 ? [entryName(issue.path), MOST_SHOWN / 2] : [path || "value", MOST_SHOWN];
    return [{ field: path, message: `${name} ${rule(issue)}, got ${given(issue, valueAt(input, issue.path), most)}` }];
  });
}

/** A dotted name whose last part may be any text. */
export function entryName(path: readonly PropertyKey[]): string {
  const parts = path.map(String);
  return [...parts.slice(0, -1), shortened(parts.at(-1) ?? "", MOST_SHOWN / 2)].join(".");
}

/** Parses or throws an InputError with one sentence per violated rule. */
export function parseOrThrow<T extends z.ZodType>(schema: T, input: unknown, known?: readonly string[]): z.output<T> {
  const result = schema.safeParse(input);
  if (!result.success) throw new InputError(problemsOf(result.error, input, known));
  return result.data;
}
