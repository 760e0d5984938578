// Tools of a task that somebody wrote: names of the registry, plain objects, or whole tools of defineTool.
import { flag, integer, section } from "../protocol/config/field.ts";
import { errorText, InputError, showValue, unknownName } from "../protocol/problems.ts";
import { z } from "../protocol/zod.ts";
import { namedTools, type WithDocuments } from "../rl/tools/index.ts";
import { defineTool, failure, type Tool, type ToolResult } from "../rl/tools/tool.ts";

/** A tool of somebody's own; what it returns or throws is what the policy reads. */
export interface OwnTool {
  readonly name: string;
  readonly description: string;
  /** "string" or "number" for each argument; all are needed. */
  readonly parameters: Readonly<Record<string, "string" | "number">>;
  run(given: Readonly<Record<string, string | number>>): unknown;
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
    const kinds = Object.values(parameters ?? {});
    if (typeof name !== "string" || typeof description !== "string" || typeof run !== "function" || !parameters)
      throw refuse(
        `tools must be ${Object.keys(namedTools).join(", ")} or have name, description, parameters and run, got ${showValue(tool)}`,
      );
    if (kinds.some((kind) => kind !== "string" && kind !== "number"))
      throw refuse(`parameters of the tool ${name} must be "string" or "number", got ${showValue(kinds)}`);
    const own = defineTool({ name, description, parameters, run: (given) => saidBy(tool, given) });
    return () => own;
  });
  return (problem) => makers.map((make) => make(problem));
}

function saidBy(tool: OwnTool, given: Readonly<Record<string, string | number>>): ToolResult {
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
