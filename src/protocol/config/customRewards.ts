// Custom rewards as data in a configuration: the code as text, its options, what a call may compute, and cases
// that it must get right before a run starts. Links, saves, forks and files carry them as they carry every other setting.

import { environmentCode } from "../custom/customTasks.ts";
import { isRecord } from "../problems.ts";
import { z } from "../zod.ts";
import { declare } from "./field.ts";

/** The version of the contract between code and lab that is written today: what the function is handed and what it returns. */
const REWARD_CONTRACT = 1;

const between = z.strictObject({ min: z.number(), max: z.number() });

/** A conversation of one answer. */
export const judgedAnswerSchema = z.strictObject({
  question: z.string().max(4000).default(""),
  answer: z.string().max(4000).default(""),
  text: z.string().max(4000),
});

/** The same, and what it must earn: a number, or one between two. */
const caseSchema = judgedAnswerSchema.extend({ earns: z.union([z.number(), between]) });

export const customRewardSchema = z.strictObject({
  contract: z.literal(REWARD_CONTRACT).default(REWARD_CONTRACT),
  title: z.string().min(1).max(60).exactOptional(),
  /** A module of TypeScript or JavaScript that exports a function `reward`. */
  source: z.string().min(1).max(20_000),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).default({}),
  /** About so many milliseconds of a usual machine a call may compute. */
  workMs: z.int().min(1).max(1000).default(50),
  cases: z.array(caseSchema).max(50).default([]),
});

/** By name. */
export const customRewardsField = declare(
  z.record(z.string(), customRewardSchema).default({}),
  "Rewards of your own",
  "By name: code that scores a conversation, with its options and the cases that it must get right.",
  { live: true, inReward: true },
);

/** The version of the contract: what the function is handed and what it returns. */
const TRANSFORM_CONTRACT = 1;

const transformSchema = z.strictObject({
  contract: z.literal(TRANSFORM_CONTRACT).default(TRANSFORM_CONTRACT),
  /**
   * A module of TypeScript or JavaScript that exports a function `transform`: ({ question, answer, members, member }, {
   * options, random }) => number | null.
   */
  source: z.string().min(1).max(20_000),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).default({}),
  /** About so many milliseconds of a usual machine a call may compute. */
  workMs: z.int().min(1).max(1000).default(50),
});

export type RewardTransformCode = z.output<typeof transformSchema>;

/** Null without one. */
export const rewardTransformField = declare(
  transformSchema.nullable().default(null),
  "Reward transform",
  "Code that sets each conversation's reward from all parts of its group, after sum, gates and clip. Conversations that could not be scored stay so. Evaluations do not use it.",
  { fixed: true, inReward: true },
);

export type CustomReward = z.output<typeof customRewardSchema>;
export type JudgedAnswer = z.output<typeof judgedAnswerSchema>;
export type RewardCase = CustomReward["cases"][number];

/** What code gives: a number, null where it cannot judge, or why there is neither, with the line of its source from 1. */
export type RewardVerdict = number | null | { readonly reason: string; readonly line?: number };

/** What stands between a configuration and code that came with it: whoever reads it allows it, once for each text. */
export interface Consent {
  allows(source: string): boolean;
  allow(sources: readonly string[]): void;
}

/** Names of custom rewards: what code can be called by. */
export const REWARD_NAME = /^[a-z][A-Za-z0-9]{0,29}$/;

/** Code that came with a configuration: what it is of, the field it stands in, and its text. */
interface BroughtCode {
  readonly name: string;
  readonly field: string;
  readonly source: string;
}

function rewardCode(customRewards: unknown): readonly BroughtCode[] {
  if (!isRecord(customRewards)) return [];
  return Object.entries(customRewards).flatMap(([name, reward]) =>
    isRecord(reward) && typeof reward.source === "string" ? [{ name, field: `customRewards.${name}`, source: reward.source }] : [],
  );
}

function transformCode(transform: unknown): readonly BroughtCode[] {
  if (!isRecord(transform) || typeof transform.source !== "string") return [];
  return [{ name: "reward transform", field: "rewardTransform", source: transform.source }];
}

/** The code that a configuration brings and a run of it would call, unchecked: that of its changes on the way too, each text once. */
export function codeIn(config: {
  readonly task?: unknown;
  readonly customRewards?: unknown;
  readonly customTasks?: unknown;
  readonly rewardTransform?: unknown;
  readonly changes?: unknown;
}): readonly BroughtCode[] {
  const changes: readonly unknown[] = Array.isArray(config.changes) ? config.changes : [];
  const later = changes.flatMap((change) => (isRecord(change) && isRecord(change.settings) ? [change.settings.customRewards] : []));
  const all = [
    ...[config.customRewards, ...later].flatMap(rewardCode),
    ...environmentCode(config),
    ...transformCode(config.rewardTransform),
  ];
  return all.filter(({ source }, i) => all.findIndex((each) => each.source === source) === i);
}
