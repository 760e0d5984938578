// A rollout as a form reads it out of a row, in the words of no program: short facts for the index of all, and what was said once
// somebody asks for its step. What the file does not hold is null.
import type { MessageRecord, StopReason, TrajectoryRecord } from "../protocol/records.ts";

/** Numbers for each token of an answer, where the file has them. */
export type FoundChannel =
  | "oldLogprobs"
  | "trainLogprobs"
  | "refLogprobs"
  | "sampledEntropies"
  | "trainEntropies"
  | "advantages"
  | "lossWeights"
  | "mask";

/** Tokens with their texts. */
export interface FoundTokens {
  readonly tokens: readonly number[];
  readonly pieces: readonly string[];
}

/** What was said in a rollout, and what is known of its tokens. */
export interface Said {
  /** The prompt as messages, and what was said after it. */
  readonly opening: readonly MessageRecord[];
  readonly messages: readonly MessageRecord[];
  readonly prompt: FoundTokens;
  readonly answer: FoundTokens;
  /** 1 where the policy sampled the token. */
  readonly sampled: readonly number[];
  readonly text: string;
  readonly channels: Partial<Readonly<Record<FoundChannel, readonly number[]>>>;
  /** Further numbers for each token by the name that the program has for them. */
  readonly extras?: Readonly<Record<string, readonly (number | null)[]>>;
  /** Nothing of what was said is in the file, only how long it was. */
  readonly isBare?: true;
  /** The record itself, where the file holds one of this lab's own. */
  readonly record?: TrajectoryRecord;
}

/** A part of a reward, its weight null where the file does not say it. */
export interface FoundPart {
  readonly name: string;
  readonly value: number | null;
  readonly weight: number | null;
}

/** Sums of the KL of sampler to trainer over tokens that both told their log-probs of, by two estimators; see rl/mismatch. */
export interface TokensApart {
  readonly tokens: number;
  readonly k1: number;
  readonly k3: number;
}

/** Turns ids into text; null where no tokenizer is there. */
export type Decoder = {
  piece(token: number): string;
  text(tokens: readonly number[]): string;
} | null;

export interface FoundRollout {
  /** Null where the row does not say it. */
  readonly step: number | null;
  /** What rollouts of one group have alike: an id, or the prompt. */
  readonly group: string;
  readonly exampleId: string;
  readonly answer: string;
  readonly reward: number | null;
  readonly advantage: number | null;
  readonly parts: readonly FoundPart[];
  readonly turnRewards?: readonly number[];
  readonly stopReason: StopReason | null;
  readonly success: boolean | null;
  /** What went wrong, where that ended it. */
  readonly failure?: string;
  /** Tokens that the policy sampled, or words where there are none. */
  readonly length: number;
  /** Left out where sampler or trainer told no log-probs. */
  readonly apart?: TokensApart | null;
  /** What its text had opened and not closed at its end; null where that is nothing, or there is no text. */
  readonly leftOpen?: string | null;
  said(decoder: Decoder): Said;
}

/** A number that is one; null for what is none or not finite. Truth counts as 1. */
export function numberOf(value: unknown): number | null {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

const STOPS: readonly (readonly [RegExp, StopReason])[] = [
  [/^(stop|eos|end_turn|completed?|done|finished|terminated|no_tools_called|tool_calls|stop_sequence|agent_completed)$/, "completed"],
  [/^(length|max_?(new_|completion_|output_|total_)?tokens?|max-tokens|truncated|token_limit|max_length|prompt_too_long)$/, "max-tokens"],
  [/^(max_?(seq|context|model)_?(len|length)?|max-context|context_length|context_overflow|overlong_prompt)$/, "max-context"],
  [/^(max_?(turns|steps|iterations)(_reached)?|max-turns)$/, "max-turns"],
  [/^(max_?(tool_)?calls|max-calls)$/, "max-calls"],
  [/^(parse-error|parse_error|parse_fail(ed|ure)?|invalid_format)$/, "parse-error"],
  [/^(env-error|error|has_error|env_error|exception|aborted?|abort|timeout(_reached)?|failed|cancelled)$/, "env-error"],
];

/** A reason to stop under this lab's names; null for one that is not known here. */
export function stopOf(value: unknown): StopReason | null {
  if (typeof value !== "string") return null;
  const word = value.trim().toLowerCase();
  return STOPS.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}
