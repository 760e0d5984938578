// Ids of tokens that a row of columns has beside its texts or in their place, and the numbers of each token that come with them.
import type { TraceRole } from "../../protocol/rollouts/traces.ts";
import type { FormReading } from "../forms/form.ts";
import { channelOf, decoded, idsOf, messagesOfIds, numbersOf } from "../forms/perToken.ts";
import type { Decoder, Said } from "../rollout.ts";
import type { FoundColumn } from "./roles.ts";

export type Cells = ReadonlyMap<TraceRole, readonly [FoundColumn, unknown]>;

/** Tokens of a row by their ids. */
interface RowIds {
  readonly prompt: readonly number[];
  readonly answer: readonly number[];
  readonly sampled: readonly number[];
  readonly channels: Said["channels"];
}

const LOGPROBS = [
  ["logprobs", "oldLogprobs", "sampler"],
  ["trainer-logprobs", "trainLogprobs", "trainer"],
  ["reference-logprobs", "refLogprobs", "reference"],
] as const;

/**
 * The ids of a row; null where it has none, or where text is beside them that says more: ids that nothing decodes and that no number
 * belongs to are only counted by. Throws a TraceError where lists are of other lengths.
 */
export function idsOfRow(cells: Cells, hasText: boolean, { seen, hasTokenizer }: FormReading): RowIds | null {
  const cell = cells.get("answer-ids");
  if (!cell || cell[1] === null) return null;
  const answer = idsOf(cell[1], cell[0].name);
  const listOf = (role: TraceRole) => {
    const [column, value] = cells.get(role) ?? [];
    return column ? numbersOf(value, column.name, answer.length) : null;
  };
  const sampled = (listOf("mask") ?? answer.map(() => 1)).map((flag) => (flag === 1 ? 1 : 0));
  const channels: [string, readonly number[]][] = [];
  for (const [role, key, whose] of LOGPROBS) {
    const values = channelOf(listOf(role), sampled);
    if (!values) continue;
    channels.push([key, values]);
    seen.logprobs.add(whose);
  }
  if (hasText && !hasTokenizer && channels.length === 0) {
    seen.notes.add("Ids of tokens stand beside the texts: with the tokenizer.json of the model they are shown in the place of words.");
    return null;
  }
  const [column, prompt] = cells.get("prompt-ids") ?? [];
  return { prompt: column && prompt !== null ? idsOf(prompt, column.name) : [], answer, sampled, channels: Object.fromEntries(channels) };
}

/** What was said in tokens, with the messages of its texts where there are any. */
export function saidInIds(ids: RowIds, texts: Pick<Said, "opening" | "messages" | "text">, decoder: Decoder): Said {
  const { prompt, answer, sampled, channels } = ids;
  const told = messagesOfIds(prompt, answer, decoder);
  return {
    opening: texts.opening.length > 0 ? texts.opening : told.opening,
    messages: texts.messages.length > 0 ? texts.messages : told.messages,
    text: texts.text === "" ? told.text : texts.text,
    prompt: decoded(prompt, decoder),
    answer: decoded(answer, decoder),
    sampled,
    channels,
  };
}
