// Calls of tools that stand as JSON between marks in what an assistant said, as Qwen's templates write them.
import { callArguments } from "../../protocol/custom/exactJson.ts";
import { isRecord, orElse, showValue } from "../../protocol/problems.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { readText } from "../containers/jsonText.ts";

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";

type Call = NonNullable<MessageRecord["toolCalls"]>[number];

function callIn(text: string): Call | string {
  const value = orElse(() => readText(text), undefined);
  if (value === undefined) return `tool call must be JSON, got ${showValue(text.trim(), 24)}`;
  if (!isRecord(value) || typeof value.name !== "string" || !isRecord(value.arguments ?? {}))
    return `tool call must have a name and arguments, got ${showValue(value)}`;
  return { name: value.name, ...callArguments((value.arguments ?? {}) as Readonly<Record<string, unknown>>) };
}

/** A message of the assistant by its text: calls that can be read leave the content, of each other one a problem is noted. */
export function jsonCallsOf(text: string): MessageRecord {
  const toolCalls: Call[] = [];
  const toolCallProblems: string[] = [];
  let content = "";
  let from = 0;
  for (let open = text.indexOf(OPEN); open >= 0; open = text.indexOf(OPEN, from)) {
    const close = text.indexOf(CLOSE, open);
    const end = close < 0 ? text.length : close + CLOSE.length;
    const call = close < 0 ? "tool call must be closed, got the end of the turn" : callIn(text.slice(open + OPEN.length, close));
    const before = text.slice(from, open);
    if (typeof call === "string") {
      content += before + text.slice(open, end);
      toolCallProblems.push(call);
    } else {
      // The line break before a call belongs to the call.
      content += before.replace(/\n$/, "");
      toolCalls.push(call);
    }
    from = end;
  }
  content += text.slice(from);
  return {
    role: "assistant",
    content,
    ...(toolCalls.length > 0 ? { toolCalls } : {}),
    ...(toolCallProblems.length > 0 ? { toolCallProblems } : {}),
  };
}
