// What is recorded of conversations, as it must look where a file brings it: every field that a screen reads. Lists of one value
// for each token lie outside, and so do the texts of tokens.
import { z } from "../zod.ts";

const text = z.string();
const count = z.int().min(0);
const number = z.custom<number>((value) => typeof value === "number", "must be a number");
const numbers = z.array(number);

/** In the order in which indexes number them. */
export const STOP_REASONS = ["completed", "max-tokens", "max-turns", "max-calls", "max-context", "parse-error", "env-error"] as const;

export const messageSchema = z.strictObject({
  role: z.enum(["system", "user", "assistant", "tool"]),
  content: text,
  agent: text.exactOptional(),
  toolCalls: z
    .array(
      z.strictObject({
        name: text,
        arguments: z.record(text, z.unknown()),
        /** The arguments as they were written, where their values do not say it. */
        written: text.exactOptional(),
      }),
    )
    .exactOptional(),
  /** What is wrong with calls that could not be read, a sentence each. */
  toolCallProblems: z.array(text).exactOptional(),
});

export const callSchema = z.strictObject({
  /** Empty where the call could not be read. */
  name: text,
  /** The arguments as JSON text; empty where the call could not be read. */
  given: text,
  result: text,
  failed: z.boolean(),
});

export const documentSchema = z.strictObject({
  text,
  score: number,
  /** Its words that the query has too, in lower case. */
  matched: z.array(text),
});

export const viewSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("board"), caption: text, rows: z.array(z.array(text)) }),
  z.strictObject({ kind: z.literal("documents"), query: text, documents: z.array(documentSchema) }),
  z.strictObject({ kind: z.literal("expert"), name: text, query: text, price: number }),
]);

export const turnSchema = z.strictObject({
  /** Who spoke, where several agents share a conversation. */
  agent: text.exactOptional(),
  /** What this turn alone earned, where the environment says so. */
  reward: number.exactOptional(),
  calls: z.array(callSchema).exactOptional(),
  /** As things stand after the turn. */
  views: z.array(viewSchema).exactOptional(),
});

export const reportSchema = z.strictObject({
  /** Why the environment ended the conversation, where that was not because it was complete. */
  stopReason: z.enum(["max-calls", "parse-error"]).exactOptional(),
  /** Figures of the whole conversation by name. */
  metrics: z.record(text, number),
  /** What people are shown before the first turn. */
  opening: z.array(viewSchema).exactOptional(),
  /** One for each turn of the policy, in order. */
  turns: z.array(turnSchema),
});

export const judgedSchema = z.strictObject({
  /** Probability of each answer of the scale among those of the scale; left out where it wrote its answer. */
  odds: z.record(text, number).exactOptional(),
  /** The share of the probability of its next words that lies on the scale at all. */
  held: number.exactOptional(),
  /** What it wrote, where that was read. */
  said: text.exactOptional(),
});

export const rewardPartSchema = z.strictObject({
  name: text,
  value: number.nullable(),
  /** Why it could not, where it failed rather than had nothing to judge. */
  reason: text.exactOptional(),
  /** Null where the files of another program do not say it. */
  weight: number.nullable(),
  /** What of the value each turn of the policy earned by itself, where the part says so. */
  turns: numbers.exactOptional(),
  /** What a judge's value was read from. */
  judged: judgedSchema.exactOptional(),
});

export const arithmeticSchema = z.strictObject({
  from: number,
  baseline: number,
  scale: number,
  fade: number,
  shift: number,
  spread: number,
});

export const alternativeSchema = z.strictObject({
  token: count,
  piece: text,
  /** Its probability before and after the step's update; null where those weights are gone or not made yet. */
  before: number.nullable(),
  after: number.nullable(),
});

export const trajectorySchema = z.strictObject({
  /** Null where nobody said why it ended. */
  stopReason: z.enum(STOP_REASONS).nullable(),
  /** What the environment opened with, only where that is not the problem's messages. */
  opening: z.array(messageSchema).exactOptional(),
  /** What went wrong in the environment, where that ended it. */
  failure: text.exactOptional(),
  /** What was said after the opening, message by message. */
  messages: z.array(messageSchema),
  report: reportSchema.exactOptional(),
  rewardParts: z.array(rewardPartSchema),
  /** Weighted total; null when nothing could score. */
  reward: number.nullable(),
  /** What of the total each turn earned by itself, where parts say so; the rest is the whole conversation's. */
  turnRewards: numbers.exactOptional(),
  /** Null where nobody said it. */
  advantage: number.nullable(),
  /** Left out before the advantage is known, and where nothing could score. */
  arithmetic: arithmeticSchema.exactOptional(),
  /** The critic's value of where a limit cut it off; left out where it ended by itself, and where the run does not look. */
  bootstrap: number.exactOptional(),
  /** Which minibatch it was in, from 1, one for each inner epoch; left out where the step is not cut. */
  minibatches: numbers.exactOptional(),
  /** Whether it is right; null where nobody said it. */
  success: z.boolean().nullable(),
  /**
   * Only its length and what it earned are here, as in a link that holds no more: nothing of what was said, and 0 for
   * each token's log-probs.
   */
  isBare: z.literal(true).exactOptional(),
  /** The likeliest tokens at the places [begin, end), where they were on screen as the run was handed on. */
  alternatives: z.strictObject({ places: z.tuple([count, count]), rows: z.array(z.array(alternativeSchema)) }).exactOptional(),
});

export const groupSchema = z.strictObject({
  step: count,
  promptIndex: count,
  exampleId: text,
  messages: z.array(messageSchema),
  promptTokens: z.array(count),
  answer: text,
  /** Why this group trains nothing, if so: all rewards equal. */
  zeroSpread: z.boolean(),
});

export const groupSummarySchema = z.strictObject({
  step: count,
  promptIndex: count,
  prompt: text,
  meanReward: number,
  rewardStd: number,
  successRate: number,
  /** Size of the largest advantage of a token; 0 before they are known. */
  largestAdvantage: number,
});
