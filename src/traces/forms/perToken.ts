// Numbers for each token as files have them: lists whose length must be that of the tokens, null where a number is none.
import type { MessageRecord } from "../../protocol/records.ts";
import { mismatchKl } from "../../rl/mismatch/mismatch.ts";
import { TraceError, valueText } from "../containers/container.ts";
import { type Decoder, type FoundTokens, numberOf, type TokensApart } from "../rollout.ts";
import { renderedAnswer, renderedPrompt } from "../text/renderedText.ts";

/** Ids of tokens. Throws a TraceError where the list holds something else. */
export function idsOf(value: unknown, name: string): readonly number[] {
  if (!Array.isArray(value)) throw new TraceError(`${name} must be a list of ids, got ${valueText(value)}`);
  const odd = value.findIndex((id) => !Number.isSafeInteger(id) || (id as number) < 0);
  if (odd >= 0) throw new TraceError(`${name}[${odd}] must be the id of a token, got ${valueText(value[odd])}`);
  return value as readonly number[];
}

/** Numbers of a list; null where the file has none of that name. Throws a TraceError for one of another length. */
export function numbersOf(value: unknown, name: string, length: number): readonly (number | null)[] | null {
  if (value === null || value === undefined) return null;
  if (!Array.isArray(value)) throw new TraceError(`${name} must be a list, got ${valueText(value)}`);
  if (value.length !== length) throw new TraceError(`${name} must have ${length} entries, one for each token, got ${value.length}`);
  return value.map(numberOf);
}

/**
 * A channel of an answer's tokens: 0 where the policy did not sample one, NaN where it did and the file has no number, so that nothing is
 * drawn there; null where it has none at all.
 */
export function channelOf(values: readonly (number | null)[] | null, sampled: readonly number[]): readonly number[] | null {
  if (values === null || !values.some((value, i) => value !== null && sampled[i] === 1)) return null;
  return values.map((value, i) => value ?? (sampled[i] === 1 ? Number.NaN : 0));
}

/** How far the trainer's log-probs of one rollout's sampled tokens are from the sampler's; null where no token has both. */
export function apartOf(
  sampler: readonly (number | null)[] | null,
  trainer: readonly (number | null)[] | null,
  sampled: readonly number[],
): TokensApart | null {
  if (sampler === null || trainer === null) return null;
  const apart = { tokens: 0, k1: 0, k3: 0 };
  for (const [t, flag] of sampled.entries()) {
    const old = sampler[t] ?? null;
    const trained = trainer[t] ?? null;
    if (flag !== 1 || old === null || trained === null) continue;
    const { k1, k3 } = mismatchKl(trained - old);
    apart.tokens += 1;
    apart.k1 += k1;
    apart.k3 += k3;
  }
  return apart.tokens === 0 ? null : apart;
}

/** The number that all sampled tokens share; null where they differ or have none. */
export function sharedValue(values: readonly (number | null)[] | null, sampled: readonly number[]): number | null {
  const own = values?.filter((_, i) => sampled[i] === 1) ?? [];
  const [first = null] = own;
  return own.every((value) => value === first) ? first : null;
}

/** Ids as messages, by the marks of their template; none where nothing decodes them. */
export function messagesOfIds(prompt: readonly number[], answer: readonly number[], decoder: Decoder) {
  const none: readonly MessageRecord[] = [];
  if (!decoder) return { opening: none, messages: none, text: "" };
  const question = decoder.text(prompt);
  const text = decoder.text(answer);
  const opening: readonly MessageRecord[] = renderedPrompt(question)?.messages ?? [{ role: "user", content: question }];
  const messages: readonly MessageRecord[] = renderedAnswer(text)?.messages ?? [{ role: "assistant", content: text }];
  return { opening, messages, text };
}

/** Ids with their texts, or with themselves where no tokenizer is there. */
export const decoded = (tokens: readonly number[], decoder: Decoder): FoundTokens => ({
  tokens,
  pieces: tokens.map((id) => (decoder ? decoder.piece(id) : `[${id}]`)),
});
