// A tool is a name, the arguments it takes, and a pure function from them to a text. Arguments come from
// a language model, so they are checked here, and what is wrong with them is said in a short sentence.
import type { TurnView } from "../../protocol/records.ts";
import type { ToolSpec } from "../types.ts";

/** What a tool answers: a text, or what is wrong with the call. */
export interface ToolResult {
  /** What the policy reads. */
  readonly content: string;
  readonly failed?: boolean;
  /** What people are shown beside it. */
  readonly view?: TurnView;
}

/** A tool that a policy may call: its name, the kinds of its arguments and a pure function. */
export interface Tool {
  readonly spec: ToolSpec;
  /** The result, or the sentence that says what is wrong with the call; never throws for anything a policy says. */
  call(given: Readonly<Record<string, unknown>>): ToolResult;
}

/** The kinds of arguments that a tool may take, as JSON calls them. */
export interface ArgumentKinds {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly array: readonly unknown[];
  readonly object: Readonly<Record<string, unknown>>;
}
/** The name of a kind. */
export type ArgumentKind = keyof ArgumentKinds;

/** An argument that is more than its kind: it may be left out, must be one of a few values, or hold values of a kind. */
export interface ArgumentSpec {
  readonly kind: ArgumentKind;
  /** What the policy is told of it. */
  readonly description?: string;
  readonly optional?: boolean;
  /** The values it may have, of a string or a number. */
  readonly choices?: readonly (string | number)[];
  /** The kind of an array's values; any where left out. */
  readonly items?: ArgumentKind;
}

/** Arguments by name: the kind, or more than that. */
export type ArgumentSpecs = Readonly<Record<string, ArgumentKind | ArgumentSpec>>;

/** The values that an argument may have. */
export type ArgumentValue<A> = A extends ArgumentKind
  ? ArgumentKinds[A]
  : A extends { readonly choices: readonly (infer V)[] }
    ? V
    : A extends { readonly kind: infer K extends ArgumentKind }
      ? ArgumentKinds[K]
      : never;
/** Names of arguments that may be left out. */
export type OptionalArguments<Specs> = { [K in keyof Specs]: Specs[K] extends { readonly optional: true } ? K : never }[keyof Specs];
/** What a tool is handed: those that may be left out may be missing. */
export type Given<Specs> = { readonly [K in Exclude<keyof Specs, OptionalArguments<Specs>>]: ArgumentValue<Specs[K]> } & {
  readonly [K in OptionalArguments<Specs>]?: ArgumentValue<Specs[K]>;
};

/** What a tool is made from. */
export interface ToolDefinition<Specs extends ArgumentSpecs> {
  readonly name: string;
  readonly description: string;
  readonly parameters: Specs;
  run(given: Given<Specs>): ToolResult;
}

export function failure(content: string): ToolResult {
  return { content, failed: true };
}

export const ARGUMENT_KINDS: readonly ArgumentKind[] = ["string", "number", "boolean", "array", "object"];

const specOf = (argument: ArgumentKind | ArgumentSpec): ArgumentSpec => (typeof argument === "string" ? { kind: argument } : argument);

/** The kind of a value in a call; numbers are finite there, since JSON has no others. */
const kindOf = (value: unknown): string => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);

const anKind = (kind: ArgumentKind): string => (kind === "array" || kind === "object" ? `an ${kind}` : `a ${kind}`);

/** What is wrong with one argument, or null. */
function valueProblem(key: string, { kind, choices, items }: ArgumentSpec, value: unknown): string | null {
  if (kindOf(value) !== kind) return `${key} must be ${anKind(kind)}`;
  if (choices && !choices.includes(value as string | number)) return `${key} must be ${choices.join(" or ")}`;
  if (items && (value as readonly unknown[]).some((each) => kindOf(each) !== items)) return `${key} must hold ${items}s alone`;
  return null;
}

/** What is wrong with the arguments, or null. */
function argumentProblem(name: string, parameters: ArgumentSpecs, given: Readonly<Record<string, unknown>>): string | null {
  for (const [key, argument] of Object.entries(parameters)) {
    const spec = specOf(argument);
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (value === undefined && spec.optional) continue;
    const problem = value === undefined ? `${name} needs ${key}` : valueProblem(key, spec, value);
    if (problem !== null) return problem;
  }
  const extra = Object.keys(given).find((key) => !Object.hasOwn(parameters, key));
  return extra === undefined ? null : `${name} takes no ${extra.slice(0, 20)}`;
}

/** An argument in the JSON schema of a call. */
function schemaOf({ kind, description, choices, items }: ArgumentSpec): Readonly<Record<string, unknown>> {
  return {
    type: kind,
    ...(description === undefined ? {} : { description }),
    ...(choices ? { enum: choices } : {}),
    ...(items ? { items: { type: items } } : {}),
  };
}

/** A tool from its definition. */
export function defineTool<const Specs extends ArgumentSpecs>(definition: ToolDefinition<Specs>): Tool {
  const { name, description, parameters } = definition;
  const specs = Object.entries(parameters).map(([key, argument]) => [key, specOf(argument)] as const);
  const properties = Object.fromEntries(specs.map(([key, spec]) => [key, schemaOf(spec)]));
  const required = specs.filter(([, { optional }]) => !optional).map(([key]) => key);
  return {
    spec: { name, description, parameters: { type: "object", properties, required } },
    call(given) {
      const problem = argumentProblem(name, parameters, given);
      if (problem !== null) return failure(problem);
      return definition.run(given as Given<Specs>);
    },
  };
}
