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

interface CommandLine {
  /** Null where no verb was given. */
  readonly verb: Verb | null;
  readonly operands: readonly string[];
  readonly options: AnyValues;
}

/** Reads a command line; options may stand before the verb as well. Throws a CommandError that names what is wrong with it. */
export function readCommandLine(words: readonly string[], verbs: readonly Verb[]): CommandLine {
  const all: OptionSpecs = Object.assign({}, ...verbs.map(({ options }) => options), COMMON_OPTIONS);
  const { given, operands } = splitWords(words, all);
  const [name, ...others] = operands;
  if (name === undefined && given.some((option) => option.name === "version"))
    return { verb: verbs.find((each) => each.name === "version") ?? null, operands: [], options: {} };
  const asked = name === "help" ? others[0] : name;
  if (asked === undefined) return { verb: null, operands: [], options: valuesOf(given, COMMON_OPTIONS, "--help") };
  const verb = verbs.find((each) => each.name === asked);
  if (!verb) {
    // Behind an option that nobody knows stands its value, which is no verb.
    valuesOf(given, all, "--help");
    const known = verbs.map((each) => each.name);
    throw new CommandError(`${unknownName("the command", asked, known)}: see rollout-lab --help`);
  }
  if (name === "help") return { verb, operands: [], options: { help: true } };
  const options = valuesOf(given, { ...verb.options, ...COMMON_OPTIONS }, `${verb.name} --help`);
  if (!options.help) checkOperands(verb, others);
  return { verb, operands: others, options };
}

/** An option as it stands on the command line. */
interface GivenOption {
  readonly name: string;
  /** With its dashes, as it was typed. */
  readonly typed: string;
  readonly value: string | undefined;
  /** The value stands behind an equals sign, and so is one whatever it begins with. */
  readonly isInline: boolean;
}

/** Options and other words. @param specs of all verbs: which options take the word behind them is known before the verb is */
function splitWords(words: readonly string[], specs: OptionSpecs) {
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      Object.entries(specs).map(([name, { kind }]) => [
        name,
        { type: kind === "flag" ? "boolean" : "string", ...(name === "help" ? { short: "h" } : {}) } as const,
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  return {
    given: tokens.flatMap((token): readonly GivenOption[] =>
      token.kind === "option" ? [{ name: token.name, typed: token.rawName, value: token.value, isInline: token.inlineValue === true }] : [],
    ),
    operands: tokens.flatMap((token) => (token.kind === "positional" ? [token.value] : [])),
  };
}

/** The value of each option there is. @param help where the known ones are told */
function valuesOf(given: readonly GivenOption[], specs: OptionSpecs, help: string): AnyValues {
  const words = new Map<string, string[]>();
  for (const option of given) {
    const spec = specs[option.name];
    if (!spec) throw new CommandError(unknownOption(option.typed, help, Object.keys(specs)));
    words.set(option.name, [...(words.get(option.name) ?? []), wordOf(option, spec)]);
  }
  return Object.fromEntries(Object.entries(specs).map(([name, spec]) => [name, optionValue(name, spec, words.get(name) ?? [])]));
}

function unknownOption(typed: string, help: string, known: readonly string[]): string {
  const near = nearestName(typed.replace(/^-+/, ""), known);
  return `unknown option ${typed} (${near === null ? `see rollout-lab ${help}` : `did you mean --${near}?`})`;
}

/** What was given for one option; empty for a switch. */
function wordOf({ name, value, isInline }: GivenOption, spec: OptionSpec): string {
  if (spec.kind === "flag") {
    if (value !== undefined) throw new CommandError(`--${name} takes no value, got ${showValue(value)}`);
    return "";
  }
  const isOption = value !== undefined && !isInline && /^(--|-h$)/.test(value);
  if (value === undefined || isOption) {
    const other = isOption ? `; a value that begins so is given as --${name}=${value}` : "";
    throw new CommandError(`--${name} needs a value: --${name} ${spec.value}${other}`);
  }
  if (value.trim() === "" && !("mayBeEmpty" in spec && spec.mayBeEmpty))
    throw new CommandError(`--${name} must not be empty: --${name} ${spec.value}`);
  return value;
}

function optionValue(name: string, spec: OptionSpec, words: readonly string[]): AnyValues[string] {
  if (spec.kind === "flag") return words.length > 0;
  if (spec.kind === "list") return words;
  const [word, ...others] = words;
  if (word === undefined) return undefined;
  const other = others.find((each) => each !== word);
  if (other !== undefined)
    throw new CommandError(`--${name} is given twice, as ${showValue(word)} and as ${showValue(other)}: leave one out`);
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
  const takesMany = verb.operands.at(-1)?.endsWith("...") ?? false;
  const blank = operands.findIndex((operand) => operand.trim() === "");
  const empty = verb.operands[takesMany ? Math.min(blank, verb.operands.length - 1) : blank];
  if (empty !== undefined) throw new CommandError(`${empty.replaceAll(/[[\]]/g, "")} must not be empty: ${usageOf(verb)}`);
  const extra = operands[verb.operands.length];
  if (extra !== undefined && !takesMany) throw new CommandError(`${verb.name} takes no ${showValue(extra)}: ${usageOf(verb)}`);
}

/** "rollout-lab train CONFIG [options]". */
export function usageOf({ name, operands, options }: Verb): string {
  return ["rollout-lab", name, ...operands, ...(Object.keys(options).length > 0 ? ["[options]"] : [])].join(" ");
}
