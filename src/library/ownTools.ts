// Tools of a task that somebody wrote: names of the registry, plain objects, or whole tools of defineTool.
import { flag, integer, section } from "../protocol/config/field.ts";
import { errorText, InputError, isRecord, showValue, unknownField, unknownName } from "../protocol/problems.ts";
import { z } from "../protocol/zod.ts";
import { namedTools, type WithDocuments } from "../rl/tools/index.ts";
import { ARGUMENT_KINDS, type ArgumentSpecs, defineTool, failure, type Tool, type ToolResult } from "../rl/tools/tool.ts";

/** A custom tool; what it returns or throws is what the policy reads. */
export interface OwnTool {
  readonly name: string;
  readonly description: string;
  /** Of each argument its kind ("string", "number", "boolean", "array" or "object"), or { kind, optional, choices, items, description }. */
  readonly parameters: ArgumentSpecs;
  run(given: Readonly<Record<string, unknown>>): unknown;
}

const SPEC_KEYS = ["kind", "description", "optional", "choices", "items"];

/** What is wrong with an argument as it was written, or null. */
function specProblem(key: string, argument: unknown): string | null {
  const kinds = ARGUMENT_KINDS.join(", ");
  const spec = typeof argument === "string" ? { kind: argument } : argument;
  if (!isRecord(spec) || !ARGUMENT_KINDS.some((kind) => kind === spec.kind))
    return `${key} must be ${kinds} or have a kind of these, got ${showValue(argument)}`;
  const unknown = Object.keys(spec).find((name) => !SPEC_KEYS.includes(name));
  if (unknown !== undefined) return `${key}: ${unknownField(unknown, SPEC_KEYS)}`;
  const { kind, choices, items, optional = false } = spec;
  if (typeof optional !== "boolean") return `${key}.optional must be true or false, got ${showValue(optional)}`;
  if (choices !== undefined && (!Array.isArray(choices) || choices.length === 0 || choices.some((each) => typeof each !== kind)))
    return `${key}.choices must be a list of values that are each a ${kind}, got ${showValue(choices)}`;
  if (items !== undefined && (kind !== "array" || !ARGUMENT_KINDS.some((each) => each === items)))
    return `${key}.items must be the kind of an array's values, one of ${kinds}, got ${showValue(items)}`;
  return null;
}

/** What tools of a definition are for a problem. Throws InputError naming one that is unknown or half. */
export function readTools(id: string, tools: readonly (string | OwnTool | Tool)[]): (problem: WithDocuments) => readonly Tool[] {
  const refuse = (message: string) => new InputError([{ field: "tools", message: `the task ${id}: ${message}` }]);
  if (!Array.isArray(tools)) throw refuse(`tools must be a list, got ${showValue(tools)}`);
  const makers = tools.map((tool: string | OwnTool | Tool) => {
    if (typeof tool === "string") {
      if (Object.hasOwn(namedTools, tool)) return namedTools[tool]!;
      throw refuse(unknownName("the tool", tool, Object.keys(namedTools)));
    }
    if ("spec" in tool) return () => tool;
    const { name, description, parameters, run } = tool;
    if (typeof name !== "string" || typeof description !== "string" || typeof run !== "function" || !parameters)
      throw refuse(
        `tools must be ${Object.keys(namedTools).join(", ")} or have name, description, parameters and run, got ${showValue(tool)}`,
      );
    const wrong = Object.entries(parameters).flatMap(([key, argument]) => specProblem(key, argument) ?? [])[0];
    if (wrong !== undefined) throw refuse(`parameters of the tool ${name}: ${wrong}`);
    const own = defineTool({ name, description, parameters, run: (given) => saidBy(tool, given) });
    return () => own;
  });
  return (problem) => makers.map((make) => make(problem));
}

function saidBy(tool: OwnTool, given: Readonly<Record<string, unknown>>): ToolResult {
  try {
    const result = tool.run(given);
    return { content: typeof result === "string" ? result : JSON.stringify(result ?? null) };
  } catch (error) {
    return failure(errorText(error));
  }
}

/** Settings of a task with tools. */
export const toolOptions = z.strictObject(
  section("task", {
    maxCalls: integer(1, 32, 3, "Most calls", "Calls of tools that are run in one conversation."),
    announceTools: flag(
      true,
      "Describe the tools",
      "Describe the tools in the system turn. A policy trained with them knows them without.",
    ),
  }),
);
