// Reads an assistant's turn back from its ids: what it says, and the tools it calls. Only the mark's own
// ids open and close a call; the same letters as ordinary text are text.

import { callArguments, readJson } from "../../protocol/custom/exactJson.ts";
import { orElse } from "../../protocol/problems.ts";
import type { Message, ToolCall } from "../../rl/types.ts";

type Decode = (tokens: readonly number[]) => string;

/** A call between marks, or the sentence that says why it is none. */
function readCall(text: string, index: number): ToolCall | string {
  const value = orElse(() => readJson(text), undefined);
  if (value === undefined) return `tool call ${index + 1} must be JSON, got ${JSON.stringify(text.trim().slice(0, 24))}`;
  const { name, arguments: given } = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  if (typeof name !== "string" || name === "") return `tool call ${index + 1} must have a name, got ${JSON.stringify(name) ?? "none"}`;
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return `tool call ${index + 1} must have arguments that are an object, got ${JSON.stringify(given) ?? "none"}`;
  return { id: `call-${index + 1}`, name, ...callArguments(given as Readonly<Record<string, unknown>>) };
}

/**
 * The message that the ids spell, its closing mark left out. Calls that can be read become toolCalls and
 * leave the content; of each other one the text stays and a problem is noted.
 */
export function parseAssistant(
  tokens: readonly number[],
  decode: Decode,
  marks: { readonly open: number; readonly close: number },
): Message {
  const toolCalls: ToolCall[] = [];
  const toolCallProblems: string[] = [];
  let content = "";
  let from = 0;
  for (let open = tokens.indexOf(marks.open); open >= 0; open = tokens.indexOf(marks.open, from)) {
    const close = tokens.indexOf(marks.close, open);
    const end = close < 0 ? tokens.length : close;
    const index = toolCalls.length + toolCallProblems.length;
    const call =
      close < 0 ? `tool call ${index + 1} must be closed, got the end of the turn` : readCall(decode(tokens.slice(open + 1, end)), index);
    const before = decode(tokens.slice(from, open));
    if (typeof call === "string") {
      content += before + decode(tokens.slice(open, end + 1));
      toolCallProblems.push(call);
    } else {
      // The line break before a call belongs to the call.
      content += before.replace(/\n$/, "");
      toolCalls.push(call);
    }
    from = end + 1;
  }
  content += decode(tokens.slice(from));
  return {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(toolCallProblems.length > 0 ? { toolCallProblems } : {}),
  };
}
