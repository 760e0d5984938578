// Messages as other programs write them, as records: roles under other names, contents in parts, calls with and without a frame.
import { isRecord, orElse } from "../../protocol/problems.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import { type ChatMessage, messagesRead } from "../../rl/tools/chatMessages.ts";
import { TraceError, valueText } from "../containers/container.ts";
import { readText } from "../containers/jsonText.ts";

const ROLES: Readonly<Record<string, ChatMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  human: "user",
  assistant: "assistant",
  gpt: "assistant",
  model: "assistant",
  ai: "assistant",
  bot: "assistant",
  tool: "tool",
  function: "tool",
  ipython: "tool",
  observation: "tool",
  tool_response: "tool",
};

/** The role of a name; undefined where nobody has it. */
export function roleNamed(name: unknown): ChatMessage["role"] | undefined {
  const key = typeof name === "string" ? name.toLowerCase() : "";
  return Object.hasOwn(ROLES, key) ? ROLES[key] : undefined;
}

/** Whether a value is a list of messages. */
export function areMessages(value: unknown): value is readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) && value.length > 0 && value.every((each) => isRecord(each) && ("role" in each || "from" in each));
}

/** A content as text: parts of other kinds stand as their kind. */
function contentText(content: unknown): string {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) throw new TraceError(`must have a content that is text, got ${valueText(content)}`);
  return content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      if (isRecord(part) && typeof part.text === "string") return part.text;
      return `[${isRecord(part) && typeof part.type === "string" ? part.type : "part"}]`;
    })
    .join("");
}

/** A call in the frame that others have around it, and what is wrong with it where it cannot be read. */
function framed(call: unknown): { readonly call: unknown } | { readonly problem: string } {
  const given: unknown = typeof call === "string" ? readOrNull(call) : call;
  const inner = isRecord(given) && isRecord(given.function) ? given.function : given;
  const values = isRecord(inner) ? (typeof inner.arguments === "string" ? readOrNull(inner.arguments) : (inner.arguments ?? {})) : null;
  if (!isRecord(inner) || typeof inner.name !== "string" || !isRecord(values))
    return { problem: `tool call must have a name and arguments, got ${valueText(given)}` };
  return { call: { function: { name: inner.name, arguments: typeof inner.arguments === "string" ? inner.arguments : values } } };
}

const readOrNull = (text: string): unknown => orElse(() => readText(text), null);

const THOUGHTS = ["reasoning_content", "reasoning", "thinking"] as const;

/** Who of several speaks a message; a tool's name is no speaker's. */
function speakerOf({ role, from, name, agent }: Readonly<Record<string, unknown>>): string | null {
  const speaker = name ?? agent;
  return typeof speaker === "string" && speaker.trim() !== "" && roleNamed(role ?? from) !== "tool" ? speaker.trim() : null;
}

function messageOf(given: Readonly<Record<string, unknown>>, where: string): MessageRecord {
  const called = given.role ?? given.from;
  const role = roleNamed(called);
  if (role === undefined)
    throw new TraceError(`${where} must have a role such as system, user, assistant or tool, got ${valueText(called)}`);
  const thought = THOUGHTS.map((key) => given[key]).find((each) => typeof each === "string" && each !== "");
  const said = contentText(given.content ?? given.value);
  const content = thought === undefined ? said : `<think>\n${String(thought)}\n</think>\n\n${said}`;
  const calls = (Array.isArray(given.tool_calls) ? given.tool_calls : []).map(framed);
  const tool_calls = calls.flatMap((each) => ("call" in each ? [each.call] : []));
  const [message] = messagesRead([{ role, content, tool_calls }], where);
  const toolCalls = message?.toolCalls?.map(({ id: _, ...call }) => call);
  const toolCallProblems = calls.flatMap((each) => ("problem" in each ? [each.problem] : []));
  return { role, content, ...(toolCalls ? { toolCalls } : {}), ...(toolCallProblems.length > 0 ? { toolCallProblems } : {}) };
}

/** Messages of a column, with who speaks where that is more than one. Throws a TraceError that names the one that is none. @param where the column */
export function messagesOf(given: readonly unknown[], where: string): readonly MessageRecord[] {
  const speakers = given.map((each) => (isRecord(each) ? speakerOf(each) : null));
  const areSeveral = new Set(speakers.filter((speaker) => speaker !== null)).size > 1;
  return given.map((each, i) => {
    if (!isRecord(each)) throw new TraceError(`${where}[${i}] must be a message, got ${valueText(each)}`);
    const message = messageOf(each, `${where}[${i}]`);
    const agent = areSeveral ? speakers[i] : null;
    return agent ? { ...message, agent } : message;
  });
}
