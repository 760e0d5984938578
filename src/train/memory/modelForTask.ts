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
 * The sizes of those problems that have room in the model's context. Throws InputError where not even the shortest worked
 * conversation has: nothing could be right there. Completions of the policy may be cut off by it, which is told of each.
 */
export function withinContext(config: RunConfig, sizes: ProblemSizes, { maxPositions }: TransformerConfig): ProblemSizes {
  const { shortest: needed } = sizes;
  const prompt = Math.min(sizes.prompt, Math.max(1, maxPositions - config.maxCompletionTokens));
  const room = maxPositions - prompt;
  if (needed <= maxPositions) return { ...sizes, prompt, room, demonstration: Math.min(sizes.demonstration, room) };
  const whose = config.startFrom === "checkpoint" ? config.checkpoint : "this one";
  refuse(
    `knows at least ${needed} positions for the task ${config.task}, whose worked conversations have ${needed} tokens and more; ${whose} knows ${maxPositions}`,
  );
}
