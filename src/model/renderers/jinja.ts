// Chat templates as Jinja runs them. Departure of the library from Python's: it strips white space whichever characters
// strip, lstrip and rstrip are told, so those calls are turned to functions that keep to them.
import { Interpreter, Template } from "@huggingface/jinja";
import { errorText, InputError, isRecord, shortened } from "../../protocol/problems.ts";

/** Without the characters that it begins with. */
function stripped(text: string, chars: string): string {
  let from = 0;
  while (from < text.length && chars.includes(text[from] ?? "")) from++;
  return text.slice(from);
}
function strippedBehind(text: string, chars: string): string {
  let to = text.length;
  while (to > 0 && chars.includes(text[to - 1] ?? "")) to--;
  return text.slice(0, to);
}

/** By the name of the method. */
const STRIPPING: Readonly<Record<string, (text: string, chars: string) => string>> = {
  lstrip: stripped,
  rstrip: strippedBehind,
  strip: (text, chars) => stripped(strippedBehind(text, chars), chars),
};
/** What the functions are called inside a template, which no template's own names are. */
const named = (method: string) => `python.${method}`;
const functions = Object.fromEntries(Object.entries(STRIPPING).map(([method, strip]) => [named(method), strip]));

/** Turns `text.strip(chars)` to a call of the function, and each range to the one here, in all of a parsed template. */
function turnCalls(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) turnCalls(each);
  if (!isRecord(node)) return;
  if (node.type === "Identifier" && node.value === "range") Object.assign(node, { value: named("range") });
  const { type, callee, args } = node;
  if (type === "CallExpression" && isRecord(callee) && callee.type === "MemberExpression" && Array.isArray(args) && args.length === 1) {
    const method = isRecord(callee.property) ? callee.property.value : undefined;
    if (typeof method === "string" && Object.hasOwn(STRIPPING, method))
      Object.assign(node, { callee: { type: "Identifier", value: named(method) }, args: [callee.object, ...args] });
  }
  for (const [key, each] of Object.entries(node)) if (key !== "property" || node.computed === true) turnCalls(each);
}

/**
 * What a template may do for one conversation: parts of it that are run, and signs or entries of one value. The longest
 * known take some thousand.
 */
const MOST_STEPS = 500_000;
const MOST_LENGTH = 2 ** 22;
const SIGNS_A_STEP = 256;
/** The longest known templates have some ten thousand signs. */
const MOST_SOURCE = 2 ** 18;
let steps = 0;

/** Of each value that has been made: a list that holds another twice is written twice as long, without being longer itself. */
const lengths = new WeakMap<object, number>();

/** How long a value is when it is written. What stands in it was made, and measured, before it. */
function lengthOf(made: unknown): number {
  const { value } = made as { readonly value: unknown };
  if (typeof value === "string") return value.length;
  const entries = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : [];
  if (entries.length === 0) return 0;
  const known = lengths.get(value as object);
  if (known !== undefined) return Math.max(known, entries.length);
  const inner = (entry: object) => (typeof (entry as { value?: unknown }).value === "string" ? lengthOf(entry) : 0);
  const length = entries.reduce<number>((sum, entry) => sum + 1 + (lengths.get((entry as { value: object }).value) ?? inner(entry)), 0);
  lengths.set(value as object, length);
  return length;
}

/** Templates are programs, and the library ends none of them: each part that it runs is counted, and what it makes is measured. */
const { evaluate } = Interpreter.prototype;
Interpreter.prototype.evaluate = function counted(...given: Parameters<typeof evaluate>) {
  if (++steps > MOST_STEPS) throw new Error(`it must end within ${MOST_STEPS} steps`);
  const result = evaluate.apply(this, given);
  const { value } = result as { readonly value: unknown };
  // A loop goes over a list without running anything for each entry, and a filter over a text.
  if (Array.isArray(value)) steps += value.length;
  if (typeof value === "string") steps += value.length / SIGNS_A_STEP;
  const length = lengthOf(result);
  if (length > MOST_LENGTH) throw new Error(`it must make nothing longer than ${MOST_LENGTH}, got ${length}`);
  return result;
};

/** Python's, which the library makes however long it is. */
function range(first: number, last?: number, step = 1): readonly number[] {
  const [from, to] = last === undefined ? [0, first] : [first, last];
  const length = Math.max(0, Math.ceil((to - from) / step));
  if (!(length <= MOST_STEPS)) throw new Error(`range must have at most ${MOST_STEPS} numbers, got range(${from}, ${to}, ${step})`);
  return Array.from({ length }, (_, i) => from + i * step);
}

const LONGEST_REASON = 400;

function attempt<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    // A template may raise a message as long as it likes.
    const message = `checkpoint must be a model whose chat template ${what}: ${shortened(errorText(error), LONGEST_REASON)}`;
    throw new InputError([{ field: "checkpoint", message }]);
  }
}

/** A template that writes a text of what it is given. Both throw an InputError where it cannot. */
export function readTemplate(source: string): (given: Readonly<Record<string, unknown>>) => string {
  const template = attempt("can be read", () => {
    if (source.length > MOST_SOURCE) throw new Error(`it must have at most ${MOST_SOURCE} signs, got ${source.length}`);
    // The library looks for its end from each of its places.
    if (/\s{1024}/.test(source)) throw new Error("it must have fewer than 1024 blanks in a row");
    return new Template(source);
  });
  turnCalls(template.parsed);
  return (given) => {
    steps = 0;
    return attempt("writes this conversation", () => template.render({ ...given, ...functions, [named("range")]: range }));
  };
}
