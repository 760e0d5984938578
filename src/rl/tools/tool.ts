// A tool is a name, the arguments it takes, and a pure function from them to a text. Arguments come from
// a language model, so they are checked here, and what is wrong with them is said in a short sentence.
import type { TurnView } from "../../protocol/envReport.ts";
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

/** The kinds of arguments that a tool may take. */
export interface ArgumentKinds {
  readonly string: string;
  readonly number: number;
}

/** What a tool is made from. */
export interface ToolDefinition<Parameters extends Readonly<Record<string, keyof ArgumentKinds>>> {
  readonly name: string;
  readonly description: string;
  /** Kind of each argument; all are needed. */
  readonly parameters: Parameters;
  run(given: { readonly [K in keyof Parameters]: ArgumentKinds[Parameters[K]] }): ToolResult;
}

export function failure(content: string): ToolResult {
  return { content, failed: true };
}

/** What is wrong with the arguments, or null. */
function argumentProblem(
  name: string,
  parameters: Readonly<Record<string, string>>,
  given: Readonly<Record<string, unknown>>,
): string | null {
  for (const [key, kind] of Object.entries(parameters)) {
    const value = Object.hasOwn(given, key) ? given[key] : undefined;
    if (value === undefined) return `${name} needs ${key}`;
    if (typeof value !== kind) return `${key} must be a ${kind}`;
  }
  const extra = Object.keys(given).find((key) => !Object.hasOwn(parameters, key));
  return extra === undefined ? null : `${name} takes no ${extra.slice(0, 20)}`;
}

/** A tool from its definition. */
export function defineTool<const Parameters extends Readonly<Record<string, keyof ArgumentKinds>>>(
  definition: ToolDefinition<Parameters>,
): Tool {
  const { name, description, parameters } = definition;
  const properties = Object.fromEntries(Object.entries(parameters).map(([key, type]) => [key, { type }]));
  return {
    spec: { name, description, parameters: { type: "object", properties, required: Object.keys(parameters) } },
    call(given) {
      const problem = argumentProblem(name, parameters, given);
      if (problem !== null) return failure(problem);
      return definition.run(given as { readonly [K in keyof Parameters]: ArgumentKinds[Parameters[K]] });
    },
  };
}

/**
 * JSON of plain data, spelled as Jinja's tojson spells it (Python's json.dumps): a space after each comma and colon,
 * keys in their own order; undefined fields are left out. The chat template and the renderer must agree to the byte.
 */
export function jsonText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(jsonText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}: ${jsonText(field)}`).join(", ")}}`;
}
