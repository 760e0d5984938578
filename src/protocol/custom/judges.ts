// Judges as data in a configuration: a second model that is asked about each conversation, with its prompt and the scale of
// its answers. A judge brings no code, so links, saves, forks and files carry it like any setting.

import { declare } from "../config/field.ts";
import { LONGEST_MODEL_NAME, MODEL_NAME_RULE, readModelName } from "../models/modelName.ts";
import type { judgedSchema } from "../record/rolloutSchemas.ts";
import { type Recorded, z } from "../zod.ts";

/** The version of the contract between judge and lab that is written today: how it is asked and how its answer is read. */
const JUDGE_CONTRACT = 1;

/** How a judge's answer is read. */
const JUDGE_READINGS = ["expected", "likeliest", "written"] as const;

/** What a judge's prompt may hold in braces. */
export const JUDGE_PLACES = ["question", "answer", "text", "conversation"] as const;

const FEWEST_ANSWERS = 2;
const MOST_ANSWERS = 16;

const scale = z
  .record(z.string().min(1).max(40), z.number().min(-1000).max(1000))
  .refine((answers) => Object.keys(answers).length >= FEWEST_ANSWERS && Object.keys(answers).length <= MOST_ANSWERS, {
    message: `must have ${FEWEST_ANSWERS} to ${MOST_ANSWERS} answers`,
  });

const judgeShape = z.strictObject({
  contract: z.literal(JUDGE_CONTRACT).default(JUDGE_CONTRACT),
  title: z.string().min(1).max(60).exactOptional(),
  /** A model by a name that `checkpoint` takes; null for the weights that the run started from. */
  checkpoint: z
    .string()
    .min(1)
    .max(LONGEST_MODEL_NAME, { abort: true })
    .refine((name) => readModelName(name) !== null, MODEL_NAME_RULE)
    .nullable()
    .default(null),
  system: z.string().max(4000).default(""),
  /** What it is asked, with {text} or {conversation} and perhaps {question} and {answer} in it. */
  prompt: z.string().min(1).max(8000),
  /** Whether the conversation stands before the prompt as turns of its own, as the policy had it. */
  asTurns: z.boolean().default(false),
  /** Each answer that it may give, and what that is worth. */
  scale,
  /** From the probabilities of all answers of the scale, from the likeliest of them, or from what it writes. */
  read: z.enum(JUDGE_READINGS).default("expected"),
  /** Most tokens that it writes, where that is what is read. */
  maxTokens: z.int().min(1).max(128).default(24),
});

const seesAnswer = ({ prompt, asTurns }: { readonly prompt: string; readonly asTurns: boolean }) =>
  asTurns || /\{(text|conversation)\}/.test(prompt);

export const judgeSchema = judgeShape.refine(seesAnswer, {
  path: ["prompt"],
  message: "must hold {text} or {conversation}, or the judge sees no answer",
});

/** A judge as data. */
export type Judge = z.output<typeof judgeSchema>;

/** A judge whose model is named: whose start it is was looked up. */
export interface NamedJudge extends Judge {
  readonly checkpoint: string;
}

/** By name. */
export const judgesField = declare(
  z.record(z.string(), judgeSchema).default({}),
  "Judges",
  "By name: a second model that scores a conversation, with its prompt and the scale of its answers.",
  { live: true, inReward: true },
);

/** What a judge's verdict was read from. */
export type JudgedFrom = Recorded<typeof judgedSchema>;

/** What judges were asked since they were loaded; found again by content costs nothing. */
export interface JudgeCost {
  readonly asked: number;
  readonly cached: number;
  /** Rows that the models computed. */
  readonly tokens: number;
  readonly seconds: number;
}

/** A cost with another, so many times. */
export const costWith = (a: JudgeCost, b: JudgeCost, times = 1): JudgeCost => ({
  asked: a.asked + times * b.asked,
  cached: a.cached + times * b.cached,
  tokens: a.tokens + times * b.tokens,
  seconds: a.seconds + times * b.seconds,
});

/** A judge's verdict on a typed answer, and the prompt that it read, marks included. */
export interface TriedVerdict extends JudgedFrom {
  readonly value: number | null;
  readonly reason?: string;
  readonly prompt: string;
}

/** The model that answers for a judge, as people are told of it. */
export interface JudgeModelReport {
  readonly name: string;
  readonly checkpoint: string;
  readonly backend: string;
  readonly parameters: number;
}
