// Tasks with tools whose environment the exported programs have: what conversation.py is told of one, and of each
// problem.
import type { RunConfig } from "../../../protocol/config.ts";
import { z } from "../../../protocol/zod.ts";
import type { Task } from "../../../rl/tasks/task.ts";
import { calculator } from "../../../rl/tasks/tools/calculator.ts";
import { multiHopSearch } from "../../../rl/tasks/tools/search.ts";
import { makeWorld } from "../../../rl/tasks/tools/world.ts";
import { calculate } from "../../../rl/tools/calculate.ts";
import { searchTool } from "../../../rl/tools/search.ts";
import type { Example, ToolSpec } from "../../../rl/types.ts";

/** tools.json. */
export interface ToolPlan {
  readonly tools: readonly ToolSpec[];
  /** Whether the system turn describes them. */
  readonly announces: boolean;
  readonly maxCalls: number;
  readonly maxTurns: number;
  /** Most tokens of one turn. */
  readonly maxTokens: number;
  /** Longest conversation in tokens. */
  readonly positions: number;
  /** Documents that a search returns. */
  readonly returned?: number;
}

interface ToolTask {
  readonly task: Task;
  readonly tools: readonly ToolSpec[];
  /** Columns of train.jsonl beside prompt and answer. */
  columns(example: Example): Readonly<Record<string, unknown>>;
}

/** The problem that an example's id spells after its task. */
const searched = z.object({ hops: z.number(), world: z.number() });

function documentsOf({ id }: Example): readonly string[] {
  const { hops, world } = searched.parse(JSON.parse(id.slice(id.indexOf("/") + 1)));
  return makeWorld(world, hops).documents;
}

const TOOL_TASKS: readonly ToolTask[] = [
  { task: calculator, tools: [calculate.spec], columns: () => ({}) },
  { task: multiHopSearch, tools: [searchTool([], 1).spec], columns: (example) => ({ documents: documentsOf(example) }) },
];

/** Tasks of several turns that are exported. */
export const EXPORTED_TOOL_TASKS: readonly string[] = TOOL_TASKS.map(({ task }) => task.entry.id);

const options = z.object({ maxCalls: z.number(), announceTools: z.boolean(), returned: z.number().optional() });

/** What the programs are told of a run with tools; null where its task is none of theirs. */
export function toolPlan({ task: id, taskOptions, maxCompletionTokens }: RunConfig, maxTurns: number, positions: number): ToolPlan | null {
  const found = TOOL_TASKS.find(({ task }) => task.entry.id === id);
  if (!found) return null;
  const { maxCalls, announceTools, returned } = options.parse(found.task.optionsSchema.parse(taskOptions));
  return {
    tools: found.tools,
    announces: announceTools,
    maxCalls,
    maxTurns,
    maxTokens: maxCompletionTokens,
    positions,
    ...(returned === undefined ? {} : { returned }),
  };
}

/** What a problem of the task needs beside its prompt and answer. */
export function toolColumns(taskId: string, example: Example): Readonly<Record<string, unknown>> {
  return TOOL_TASKS.find(({ task }) => task.entry.id === taskId)?.columns(example) ?? {};
}
