// Messages as others write and read them: calls under tool_calls, each with an id, a type and a function whose arguments
// are JSON text, and results that name their call. This is the one place where that form and the lab's meet.
import { argumentsText, callArguments, readJson } from "../../protocol/custom/exactJson.ts";
import { InputError, isRecord, orElse, showValue } from "../../protocol/problems.ts";
import type { MessageRecord } from "../../protocol/records.ts";
import type { Message } from "../types.ts";

/** A message of a chat as files and other programs have it. */
export interface ChatMessage {
  readonly role: Message["role"];
  readonly content: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: "function";
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly [key: string]: unknown;
}

/** A conversation written out; every call has an id of its own, which the results after it name in order. */
export function messagesWritten(messages: readonly (MessageRecord | Message)[]): readonly ChatMessage[] {
  let count = 0;
  let waiting: string[] = [];
  return messages.map((message): ChatMessage => {
    const { toolCalls, toolCallId: _, ...rest } = message as Message;
    if (message.role === "tool") {
      const id = waiting.shift();
      return id === undefined ? rest : { ...rest, tool_call_id: id };
    }
    if (!toolCalls) return rest;
    const calls = toolCalls.map((call) => ({
      id: `call_${++count}`,
      type: "function" as const,
      function: { name: call.name, arguments: argumentsText(call) },
    }));
    waiting = calls.map(({ id }) => id);
    return { ...rest, tool_calls: calls };
  });
}

const refused = (message: string) => new InputError([{ field: "messages", message }]);
const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool"];

function callRead(given: unknown, where: string): NonNullable<Message["toolCalls"]>[number] {
  const call = isRecord(given) && isRecord(given.function) ? given.function : null;
  const written = call?.arguments;
  const read = typeof written === "string" ? orElse(() => readJson(written), null) : written;
  if (!isRecord(given) || typeof call?.name !== "string" || !isRecord(read))
    throw refused(`${where} must have a function with a name and arguments, got ${showValue(given)}`);
  return { id: typeof given.id === "string" ? given.id : "", name: call.name, ...callArguments(read) };
}

/** Messages that a file has. Throws InputError for one that is none. @param where what stands before a sentence on one that is wrong. */
export function messagesRead(given: readonly unknown[], where: string): readonly Message[] {
  return given.map((message, i) => {
    const at = `${where}[${i}]`;
    if (!isRecord(message) || !ROLES.includes(message.role) || typeof (message.content ?? "") !== "string")
      throw refused(`${at} must have a role (${ROLES.join(", ")}) and a content, got ${showValue(message)}`);
    const { role, content, tool_calls: calls, tool_call_id: id, ...rest } = message;
    return {
      ...rest,
      role: role as Message["role"],
      content: String(content ?? ""),
      ...(Array.isArray(calls) && calls.length > 0 ? { toolCalls: calls.map((call) => callRead(call, `${at}.tool_calls`)) } : {}),
      ...(typeof id === "string" ? { toolCallId: id } : {}),
    };
  });
}
