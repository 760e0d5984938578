// Chat templates as Jinja runs them. Departure of the library from Python's: it strips white space whichever characters
// strip, lstrip and rstrip are told, so those calls are turned to functions that keep to them.
import { Template } from "@huggingface/jinja";
import { errorText, InputError, isRecord } from "../../protocol/problems.ts";

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

/** Turns `text.strip(chars)` to a call of the function, in all of a parsed template. */
function turnStripping(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) turnStripping(each);
  if (!isRecord(node)) return;
  const { type, callee, args } = node;
  if (type === "CallExpression" && isRecord(callee) && callee.type === "MemberExpression" && Array.isArray(args) && args.length === 1) {
    const method = isRecord(callee.property) ? callee.property.value : undefined;
    if (typeof method === "string" && Object.hasOwn(STRIPPING, method))
      Object.assign(node, { callee: { type: "Identifier", value: named(method) }, args: [callee.object, ...args] });
  }
  for (const each of Object.values(node)) turnStripping(each);
}

function attempt<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    const message = `checkpoint must be a model whose chat template ${what}: ${errorText(error)}`;
    throw new InputError([{ field: "checkpoint", message }]);
  }
}

/** A template that writes a text of what it is given. Both throw an InputError where it cannot. */
export function readTemplate(source: string): (given: Readonly<Record<string, unknown>>) => string {
  const template = attempt("can be read", () => new Template(source));
  turnStripping(template.parsed);
  return (given) => attempt("writes this conversation", () => template.render({ ...given, ...functions }));
}
