// The smallest renderer: ten digits and a mark that begins an answer, and fills what an answer leaves of the
// places that it has. A conversation's prompt is the digits it ends with, if it ends with digits and spaces alone,
// and that mark; of what is asked in words a policy knows only its reward.
import { InputError } from "../../protocol/problems.ts";
import { BEGIN_TEXT } from "../../rl/rewards/sumCloseness.ts";
import type { Renderer } from "../../rl/types.ts";

/** Id of the mark that begins an answer; ids below it are the digits 0 to 9. */
export const BEGIN_TOKEN = 10;

function piece(token: number): string {
  if (token === BEGIN_TOKEN) return BEGIN_TEXT;
  return token >= 0 && token < BEGIN_TOKEN ? String(token) : `<unknown ${token}>`;
}

function decode(tokens: readonly number[]): string {
  let text = "";
  for (const token of tokens) text += piece(token);
  return text;
}

/** What is asked in digits; words cannot be shown. */
function shownDigits(content: string): readonly number[] {
  return /^[0-9 ]+$/.test(content) ? digitsOf(content.replaceAll(" ", "")) : [];
}

function digitsOf(content: string): readonly number[] {
  if (!/^[0-9]*$/.test(content)) {
    throw new InputError([{ field: "content", message: `content must be digits, got ${JSON.stringify(content.slice(0, 40))}` }]);
  }
  return [...content].map(Number);
}

/** Digits, with the mark in every place that they leave. */
function answerOf(content: string): readonly number[] {
  const digits = content.replaceAll(BEGIN_TEXT, "");
  const marks = (content.length - digits.length) / BEGIN_TEXT.length;
  return [...digitsOf(digits), ...Array.from({ length: marks }, () => BEGIN_TOKEN)];
}

/**
 * Renders digit answers; nothing ends a turn but its length. What is said between turns must be digits too. Throws
 * InputError for other text.
 */
export const digitsRenderer: Renderer = {
  vocabularySize: BEGIN_TOKEN + 1,
  stopTokens: [],
  renderPrompt: ({ messages }) => [...shownDigits(messages.at(-1)?.content ?? ""), BEGIN_TOKEN],
  renderTurn: (_, messages) => [...messages.flatMap(({ content }) => digitsOf(content)), BEGIN_TOKEN],
  renderCompletion: ({ content }) => answerOf(content),
  parse: (tokens) => ({ role: "assistant", content: decode(tokens) }),
  piece,
  decode,
};
