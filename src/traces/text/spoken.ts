// What was said as stretches of text, and these as words: the pieces of an answer whose tokens nobody wrote down.
import { argumentsText } from "../../protocol/custom/exactJson.ts";
import { type MessageRecord, NO_TOKEN } from "../../protocol/records.ts";
import type { FoundTokens } from "../rollout.ts";
import type { Stretch } from "./renderedText.ts";
import { countWords, wordsOf } from "./words.ts";

/** Between two messages. */
const BETWEEN = "\n\n";

/** A message as one text: what it says, and its calls as JSON. */
function textOf({ content, toolCalls = [] }: MessageRecord): string {
  const calls = toolCalls.map((call) => `{"name": ${JSON.stringify(call.name)}, "arguments": ${argumentsText(call)}}`);
  return [...(content === "" ? [] : [content]), ...calls].join("\n");
}

/** Messages as stretches, with a line between them that nobody said. */
export function stretchesOf(messages: readonly MessageRecord[]): readonly Stretch[] {
  return messages.flatMap((message, i) => [
    ...(i > 0 ? [{ text: BETWEEN, isSampled: false }] : []),
    { text: textOf(message), isSampled: message.role === "assistant" },
  ]);
}

/** Words that the policy said. */
export const saidWords = (stretches: readonly Stretch[]): number =>
  stretches.reduce((sum, { text, isSampled }) => sum + (isSampled ? countWords(text) : 0), 0);

/** Stretches as words without ids. */
export function wordTokens(stretches: readonly Stretch[]): FoundTokens & { readonly sampled: readonly number[] } {
  const pieces: string[] = [];
  const sampled: number[] = [];
  for (const { text, isSampled } of stretches)
    for (const word of wordsOf(text)) {
      pieces.push(word);
      sampled.push(isSampled ? 1 : 0);
    }
  return { tokens: pieces.map(() => NO_TOKEN), pieces, sampled };
}
