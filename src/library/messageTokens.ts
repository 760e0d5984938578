// A conversation that was written down, as tokens: what a policy would have sampled of it, and what stood there
// before and in between. For whoever scores or trains on conversations from elsewhere.
import { InputError } from "../protocol/problems.ts";
import type { Message, Renderer, ToolSpec } from "../rl/types.ts";

/** A conversation as a model reads it. */
export interface MessageTokens {
  /** Up to and including the mark that opens the policy's first turn. */
  readonly promptTokens: readonly number[];
  /** All that follows, up to the end of the last turn. */
  readonly tokens: readonly number[];
  /** 1 where an assistant's turn stands, 0 where it was inserted between two. */
  readonly mask: readonly number[];
}

/**
 * Tokens of a conversation that ends with an assistant's turn, turn by turn as the generator lays them down, so that the ids are
 * those a rollout of the same words has. Throws InputError where no assistant speaks, or somebody else has the last word.
 */
export function messageTokens(renderer: Renderer, messages: readonly Message[], tools?: readonly ToolSpec[]): MessageTokens {
  const first = messages.findIndex(({ role }) => role === "assistant");
  if (first < 0 || messages.at(-1)?.role !== "assistant")
    throw new InputError([{ field: "messages", message: "messages must end with a turn of the assistant, whose tokens are trained" }]);
  const promptTokens = renderer.renderPrompt({ messages: messages.slice(0, first), ...(tools ? { tools } : {}) });
  const tokens: number[] = [];
  const mask: number[] = [];
  const add = (ids: readonly number[], isSampled: boolean) => {
    tokens.push(...ids);
    mask.push(...ids.map(() => (isSampled ? 1 : 0)));
  };
  let sampled: readonly number[] | null = null;
  let inserted: Message[] = [];
  for (const message of messages.slice(first)) {
    if (message.role !== "assistant") {
      inserted.push(message);
      continue;
    }
    if (sampled) add(renderer.renderTurn(sampled, inserted), false);
    sampled = renderer.renderCompletion(message);
    inserted = [];
    add(sampled, true);
  }
  return { promptTokens, tokens, mask };
}
