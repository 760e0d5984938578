// From the words of a command line to a verb and the checked values of its options. What is not known is
// answered with the nearest name there is.
import { parseArgs } from "node:util";
import { nearestName } from "../../protocol/nearestName.ts";
import { showValue, unknownName } from "../../protocol/problems.ts";
import { CommandError } from "./exit.ts";
import type { AnyValues, OptionSpec, OptionSpecs, Verb } from "./verb.ts";

/** Options that every verb has. */
export const COMMON_OPTIONS = {
  json: { kind: "flag", help: "Print exactly one JSON object on stdout." },
  progress: { kind: "text", value: "FORM", choices: ["json", "none"], help: "Progress on stderr as JSON lines, or none." },
  help: { kind: "flag", help: "Say what the verb does and end." },
} as const satisfies OptionSpecs;

export interface CommandLine {
  /** Null where no verb was given. */
  readonly verb: Verb | null;
  readonly operands: readonly string[];
  readonly options: AnyValues;
}

/** Reads a command line. Throws a CommandError that names what is wrong with it. */
export function readCommandLine(words: readonly string[], verbs: readonly Verb[]): CommandLine {
  const at = words.findIndex((word) => !word.startsWith("-"));
  const name = at < 0 ? undefined : words[at];
  if (words.includes("--version") && name === undefined)
    return { verb: verbs.find((each) => each.name === "version") ?? null, operands: [], options: {} };
  if (name === undefined) {
    const unknown = words.find((word) => !(word.replace(/^--/, "") in COMMON_OPTIONS));
    if (unknown !== undefined) throw new CommandError(`unknown option ${unknown} (see rollout-lab --help)`);
    return { verb: null, operands: [], options: {} };
  }
  const asked = name === "help" ? words.slice(at + 1).find((word) => !word.startsWith("-")) : name;
  if (asked === undefined) return { verb: null, operands: [], options: {} };
  const verb = verbs.find((each) => each.name === asked);
  if (!verb) {
    const known = verbs.map((each) => each.name);
    throw new CommandError(`${unknownName("the command", asked, known)}: see rollout-lab --help`);
  }
  if (name === "help") return { verb, operands: [], options: { help: true } };
  return { verb, ...readWords(verb, words.toSpliced(at, 1)) };
}

function readWords(verb: Verb, words: readonly string[]): Omit<CommandLine, "verb"> {
  const specs: OptionSpecs = { ...verb.options, ...COMMON_OPTIONS };
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(specs).map(([name, { kind }]) => [name, { type: kind === "flag" ? "boolean" : "string" } as const]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string[]>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") operands.push(token.value);
    if (token.kind !== "option") continue;
    const spec = specs[token.name];
    if (!spec) throw new CommandError(unknownOption(token.rawName, verb, Object.keys(specs)));
    given.set(token.name, [...(given.get(token.name) ?? []), wordOf(token.name, spec, token.value)]);
  }
  const values = Object.entries(specs).map(([name, spec]) => [name, optionValue(name, spec, given.get(name) ?? [])]);
  const options = Object.fromEntries(values) as AnyValues;
  if (!options.help) checkOperands(verb, operands);
  return { operands, options };
}

function unknownOption(rawName: string, verb: Verb, known: readonly string[]): string {
  const near = nearestName(rawName.replace(/^-+/, ""), known);
  const meant = near === null ? `see rollout-lab ${verb.name} --help` : `did you mean --${near}?`;
  return `unknown option ${rawName} (${meant})`;
}

/** What was given for one option; empty for a switch. */
function wordOf(name: string, spec: OptionSpec, value: string | undefined): string {
  if (spec.kind === "flag") {
    if (value !== undefined) throw new CommandError(`--${name} takes no value, got ${showValue(value)}`);
    return "";
  }
  if (value === undefined || value.startsWith("--")) throw new CommandError(`--${name} needs a value: --${name} ${spec.value}`);
  return value;
}

function optionValue(name: string, spec: OptionSpec, words: readonly string[]): AnyValues[string] {
  if (spec.kind === "flag") return words.length > 0;
  if (spec.kind === "list") return words;
  const word = words.at(-1);
  if (word === undefined) return undefined;
  if (spec.kind === "text") {
    if (spec.choices && !spec.choices.includes(word)) throw new CommandError(unknownName(`--${name}`, word, spec.choices));
    return word;
  }
  if (spec.kind === "amount" && word === "all") return word;
  const number = word.trim() === "" ? Number.NaN : Number(word);
  const { min, max = Number.MAX_SAFE_INTEGER } = spec;
  if (Number.isInteger(number) && number >= min && number <= max) return number;
  const range = spec.max === undefined ? `>= ${min}` : `from ${min} to ${max}`;
  const orAll = spec.kind === "amount" ? ' or "all"' : "";
  throw new CommandError(`--${name} must be a whole number ${range}${orAll}, got ${showValue(word)}`);
}

function checkOperands(verb: Verb, operands: readonly string[]): void {
  const needed = verb.operands.filter((operand) => !operand.startsWith("["));
  const missing = needed[operands.length];
  if (missing !== undefined) throw new CommandError(`${verb.name} needs ${missing}: ${usageOf(verb)}`);
  const extra = operands[verb.operands.length];
  if (extra !== undefined) throw new CommandError(`${verb.name} takes no ${showValue(extra)}: ${usageOf(verb)}`);
}

/** "rollout-lab train CONFIG [options]". */
export function usageOf({ name, operands, options }: Verb): string {
  return ["rollout-lab", name, ...operands, ...(Object.keys(options).length > 0 ? ["[options]"] : [])].join(" ");
}
