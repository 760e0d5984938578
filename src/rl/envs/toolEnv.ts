// Conversations in which the policy may call tools: calls are answered until it says something without
// one, which is its answer and ends the conversation.
import type { Tool } from "../tools/tool.ts";
import { callsTools, createToolRunner } from "../tools/toolRunner.ts";
import type { Env, Example } from "../types.ts";
import { dialogueEnv } from "./dialogue.ts";

/** What a conversation with tools is made from. */
export interface ToolEnvOptions {
  /** Calls that are run; one turn that asks for more is told so, a second one ends the conversation. */
  readonly maxCalls: number;
  /** Whether the system turn describes the tools; a policy that was trained with them knows them without. */
  readonly announces: boolean;
}

/** A fresh conversation about the example with these tools. */
export function toolEnv(example: Example, tools: readonly Tool[], { maxCalls, announces }: ToolEnvOptions): Env {
  const runner = createToolRunner(tools, maxCalls);
  const { messages } = example;
  return dialogueEnv({
    opening: announces ? { messages, tools: tools.map(({ spec }) => spec) } : { messages },
    respond(message) {
      if (!callsTools(message)) return { messages: null };
      const { messages: results, calls, views, isHopeless } = runner.answer(message);
      const turn = { calls, ...(views.length > 0 ? { views } : {}) };
      return isHopeless ? { messages: null, stopReason: "max-calls", turn } : { messages: results, turn };
    },
    metrics: runner.metrics,
  });
}
