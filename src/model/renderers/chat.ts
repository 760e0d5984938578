// ChatML as token ids, the same as the tokenizer's chat template gives, but safe: only this file places
// marks, so text of users and tools never becomes control ids. Text is encoded in the stretches between
// marks, where cutting does not change the ids; the mark-free seam after "assistant\n" is cut as well,
// because that is where a policy's own tokens begin.

import { jsonText } from "../../protocol/custom/exactJson.ts";
import type { Message, Renderer, ToolSpec } from "../../rl/types.ts";
import { CALL, callSegments, encodeSegments, mark, pieceOf, type Segment, spokenMarks, spokenSegments, text, textOf } from "./segments.ts";
import type { Tokenizer } from "./tokenizer.ts";
import { parseAssistant } from "./toolCalls.ts";

const START = "<|im_start|>";
const END = "<|im_end|>";

function assistantSegments(message: Message, spoken: readonly string[]): readonly Segment[] {
  return [...spokenSegments(message.content, spoken), ...callSegments(message), mark(END)];
}

function toolsSegments(tools: readonly ToolSpec[], system: string | null): readonly Segment[] {
  const list = tools.map((tool) => `${jsonText({ type: "function", function: tool })}\n`).join("");
  return [
    mark(START),
    text(`system\n${system === null ? "" : `${system}\n\n`}You can call these tools:\n${list}To call one, write:\n`),
    mark(CALL.open),
    text('\n{"name": NAME, "arguments": OBJECT}\n'),
    mark(CALL.close),
    mark(END),
    text("\n"),
  ];
}

function messageSegments(messages: readonly Message[], i: number, spoken: readonly string[]): readonly Segment[] {
  const message = messages[i];
  if (!message) return [];
  if (message.role === "assistant") return [mark(START), text("assistant\n"), "seam", ...assistantSegments(message, spoken), text("\n")];
  if (message.role !== "tool") return [mark(START), text(`${message.role}\n${message.content}`), mark(END), text("\n")];
  // Results of parallel calls share one turn.
  const opening = messages[i - 1]?.role === "tool" ? [] : [mark(START), text("user")];
  const closing = messages[i + 1]?.role === "tool" ? [] : [mark(END), text("\n")];
  const name = message.resultMark ?? "tool_response";
  return [...opening, text("\n"), mark(`<${name}>`), text(`\n${message.content}\n`), mark(`</${name}>`), ...closing];
}

/**
 * A renderer of chats over a tokenizer with the marks <|im_start|>, <|im_end|>, <tool_call> and
 * <tool_response>. A conversation's tools are announced in its system turn. A turn of the policy ends with
 * <|im_end|>; bytes that are not UTF-8 read as U+FFFD in messages and as \xNN in pieces.
 */
export function createChatRenderer(tokenizer: Tokenizer): Renderer {
  const end = tokenizer.markId(END);
  const spoken = spokenMarks(tokenizer);
  const decode = textOf(tokenizer);
  const callMarks = { open: tokenizer.markId(CALL.open), close: tokenizer.markId(CALL.close) };
  const bodySegments = (messages: readonly Message[], from: number) =>
    messages.flatMap((_, i) => (i < from ? [] : messageSegments(messages, i, spoken)));
  return {
    vocabularySize: tokenizer.vocabularySize,
    stopTokens: [end],
    renderPrompt({ messages, tools = [] }) {
      const system = messages[0]?.role === "system" ? messages[0].content : null;
      const head = tools.length > 0 ? toolsSegments(tools, system) : [];
      const body = bodySegments(messages, tools.length > 0 && system !== null ? 1 : 0);
      return encodeSegments(tokenizer, [...head, ...body, mark(START), text("assistant\n")]);
    },
    renderTurn(sampled, messages) {
      const closing = sampled.at(-1) === end ? [] : [mark(END)];
      return encodeSegments(tokenizer, [...closing, text("\n"), ...bodySegments(messages, 0), mark(START), text("assistant\n")]);
    },
    renderCompletion: (message) => encodeSegments(tokenizer, assistantSegments(message, spoken)),
    parse: (tokens) => parseAssistant(tokens.at(-1) === end ? tokens.slice(0, -1) : tokens, decode, callMarks),
    piece: pieceOf(tokenizer),
    decode,
  };
}
