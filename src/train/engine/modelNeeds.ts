// What a task needs of the model that it is put to, checked before anything of a run is built: tools where it offers them,
// and a context in which its conversations have room.
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { TaskEntry } from "../../protocol/catalog.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { InputError } from "../../protocol/problems.ts";
import type { Renderer } from "../../rl/types.ts";
import type { ProblemSizes } from "./workloadOf.ts";

/** @param message to follow "checkpoint must be a model that" */
function refuse(message: string): never {
  throw new InputError([{ field: "checkpoint", message: `checkpoint must be a model that ${message}` }]);
}

/** Throws InputError where a task offers tools and the model's template cannot write them. */
export function checkTools({ id, facts }: TaskEntry, { checkpoint }: RunConfig, { lacksTools }: Renderer): void {
  if (!facts.callsTools || lacksTools === undefined) return;
  refuse(`can be offered tools for the task ${id}, got ${checkpoint}: ${lacksTools}`);
}

/**
 * Throws InputError where a worked conversation of the task is longer than the model's context: nothing could be right there.
 * Completions of the policy may be cut off by it, which is told of each.
 */
export function checkContext(config: RunConfig, { prompt, demonstration }: ProblemSizes, { maxPositions }: TransformerConfig): void {
  const needed = prompt + demonstration;
  if (needed <= maxPositions) return;
  const whose = config.startFrom === "checkpoint" ? config.checkpoint : "this one";
  refuse(
    `knows at least ${needed} positions for the task ${config.task}, whose worked conversations have up to ${needed} tokens; ${whose} knows ${maxPositions}`,
  );
}
