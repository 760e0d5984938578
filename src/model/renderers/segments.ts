// A conversation on its way to token ids: stretches of text between marks. Only whoever renders places marks, so that
// what people and tools say never becomes control ids; text is encoded in the stretches between them, where cutting
// does not change the ids.

import { argumentsText } from "../../protocol/custom/exactJson.ts";
import { joinedBytes } from "../../protocol/run/deflate.ts";
import type { Message } from "../../rl/types.ts";
import type { Mark, Tokenizer } from "./tokenizer.ts";

/** A stretch of a conversation: a mark, or text between marks. A seam cuts text where a completion begins. */
export type Segment = { readonly mark: string } | { readonly text: string } | "seam";

export const mark = (content: string): Segment => ({ mark: content });
export const text = (content: string): Segment => ({ text: content });

/** The marks between which a call stands. */
export const CALL = { open: "<tool_call>", close: "</tool_call>" } as const;

/** The tools that a message calls, behind what it says. */
export function callSegments({ content, toolCalls = [] }: Message): readonly Segment[] {
  return toolCalls.flatMap((call, i): Segment[] => [
    text(i > 0 || content !== "" ? "\n" : ""),
    mark(CALL.open),
    text(`\n{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsText(call)}}\n`),
    mark(CALL.close),
  ]);
}

/** Ids of segments; neighbouring texts are joined before they are encoded. A mark may take the white space beside it. */
export function encodeSegments(tokenizer: Tokenizer, segments: readonly Segment[]): readonly number[] {
  const ids: number[] = [];
  const markOf = new Map(tokenizer.marks.map((each) => [each.content, each]));
  let pending = "";
  let begun: Mark | undefined;
  const flush = (ending?: Mark) => {
    if (begun?.rstrip) pending = pending.replace(/^\p{White_Space}+/u, "");
    if (ending?.lstrip) pending = withoutEnd(pending);
    // One by one: a long text has more ids than a call may have arguments.
    if (pending !== "") for (const id of tokenizer.encodePlain(pending)) ids.push(id);
    pending = "";
    begun = ending;
  };
  for (const segment of segments) {
    if (segment !== "seam" && "text" in segment) {
      pending += segment.text;
      continue;
    }
    flush(segment === "seam" ? undefined : markOf.get(segment.mark));
    if (segment !== "seam") ids.push(tokenizer.markId(segment.mark));
  }
  flush();
  return ids;
}

/** Without the white space at the end: looked for from there, since a pattern would look from every place. */
function withoutEnd(content: string): string {
  let to = content.length;
  while (to > 0 && /\p{White_Space}/u.test(content[to - 1] ?? "")) to--;
  return content.slice(0, to);
}

/** What an assistant says: its own marks such as <think> count, the conversation's structure does not. */
export function spokenSegments(content: string, spoken: readonly string[]): readonly Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (let at = content.indexOf("<"); at >= 0; at = content.indexOf("<", at + 1)) {
    const found = spoken.find((each) => content.startsWith(each, at));
    if (found === undefined) continue;
    segments.push(text(content.slice(start, at)), mark(found));
    start = at + found.length;
    at = start - 1;
  }
  segments.push(text(content.slice(start)));
  return segments;
}

/** Text of bytes where they are text, each other byte as \xNN. */
function visibleText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) =>
      byte < 0x80 ? String.fromCharCode(byte) : `\\x${byte.toString(16).toUpperCase().padStart(2, "0")}`,
    ).join("");
  }
}

/** Marks that a policy may say, beside those of the conversation's structure. */
export const spokenMarks = ({ marks }: Tokenizer): readonly string[] =>
  marks.filter(({ special }) => !special).map(({ content }) => content);

/** Text of ids, marks included; bytes that are not UTF-8 read as U+FFFD. */
export const textOf = (tokenizer: Tokenizer) => (tokens: readonly number[]) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(joinedBytes(tokens.map((token) => tokenizer.bytesOf(token))));

/** Text of one id as it is shown. */
export const pieceOf = (tokenizer: Tokenizer) => (token: number) => visibleText(tokenizer.bytesOf(token));
