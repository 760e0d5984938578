// Runs the calls of a conversation. Whatever a policy makes of a call, the answer is a message that says
// what came of it: a result, or why there is none.

import { argumentsText } from "../../protocol/custom/exactJson.ts";
import type { CallReport, TurnView } from "../../protocol/records.ts";
import type { Message, ToolCall } from "../types.ts";
import { failure, type Tool, type ToolResult } from "./tool.ts";

/** What came of the calls of one turn. */
interface CallsAnswer {
  /** One for each call, in order; calls that could not be read come last. */
  readonly messages: readonly Message[];
  readonly calls: readonly CallReport[];
  readonly views: readonly TurnView[];
  /** The limit had been reached before, and the policy had been told so. */
  readonly isHopeless: boolean;
}

interface ToolRunner {
  /** Runs what the message calls. */
  answer(message: Message): CallsAnswer;
  /** calls, tool_errors and repeated_calls so far, and tool_error_rate where there was a call. */
  metrics(): Readonly<Record<string, number>>;
}

/** Whether the message calls a tool, or tries to. */
export function callsTools({ toolCalls = [], toolCallProblems = [] }: Message): boolean {
  return toolCalls.length + toolCallProblems.length > 0;
}

/** What the policy reads of a call of a tool that is not there, and of one too many. */
export const unknownTool = (name: string, tools: readonly Pick<Tool, "spec">[]): ToolResult =>
  failure(`no tool ${name.slice(0, 20)}, only ${tools.map(({ spec }) => spec.name).join(", ")}`);
export const beyondLimit = (maxCalls: number): ToolResult => failure(`not run, the limit is ${maxCalls} calls`);

/** A runner for one conversation; owned state. @param maxCalls calls that are run, over all turns. */
export function createToolRunner(tools: readonly Tool[], maxCalls: number): ToolRunner {
  const results = new Map<string, ToolResult>();
  const count = { calls: 0, errors: 0, repeated: 0 };
  let isWarned = false;

  function run({ name, arguments: given }: ToolCall): ToolResult {
    const tool = tools.find(({ spec }) => spec.name === name);
    if (!tool) return unknownTool(name, tools);
    const key = `${name} ${JSON.stringify(given)}`;
    const earlier = results.get(key);
    if (earlier) {
      count.repeated += 1;
      return { ...earlier, content: `as before: ${earlier.content}` };
    }
    const result = tool.call(given);
    results.set(key, result);
    return result;
  }

  /** Counts a call and takes its result, unless the limit has been reached. */
  function take(result: () => ToolResult): ToolResult {
    count.calls += 1;
    const taken = count.calls > maxCalls ? beyondLimit(maxCalls) : result();
    if (taken.failed) count.errors += 1;
    return taken;
  }

  return {
    answer({ toolCalls = [], toolCallProblems = [] }) {
      const isHopeless = isWarned;
      const taken = toolCalls.map((call) => ({ call, result: take(() => run(call)) }));
      const unread = toolCallProblems.map((problem) => take(() => failure(problem)));
      isWarned = count.calls > maxCalls;
      return {
        messages: [
          ...taken.map(({ call, result }): Message => ({ role: "tool", content: result.content, toolCallId: call.id })),
          ...unread.map(({ content }): Message => ({ role: "tool", content })),
        ],
        calls: [
          ...taken.map(({ call, result }) => reportOf(call.name, argumentsText(call), result)),
          ...unread.map((result) => reportOf("", "", result)),
        ],
        views: taken.flatMap(({ result: { view } }) => (view ? [view] : [])),
        isHopeless,
      };
    },
    metrics: () => ({
      calls: count.calls,
      tool_errors: count.errors,
      repeated_calls: count.repeated,
      ...(count.calls > 0 ? { tool_error_rate: count.errors / count.calls } : {}),
    }),
  };
}

function reportOf(name: string, given: string, { content, failed = false }: ToolResult): CallReport {
  return { name, given, result: content, failed };
}
