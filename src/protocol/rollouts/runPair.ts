// Two runs side by side on the same prompts: what somebody asks of them, and what comes back. A prompt is the same in both where its
// messages are equal, whatever ids and places the runs gave it.
import type { GroupRecord } from "../records.ts";
import { z } from "../zod.ts";

export const PAIR_SHOWS = ["both", "rose", "fell", "same", "left", "right"] as const;
/** Which prompts are listed: those that both runs were asked, all or by how the measure moved, and those that only one was. */
export type PairShow = (typeof PAIR_SHOWS)[number];

/** Which answers of a run are compared: those of a step, or of each prompt those of the last step that asked it. */
export type PairStep = number | "last";
const step = z.union([z.int().min(0), z.literal("last")]).nullable();

/** Of a run's name, a path within what was opened. */
const runName = z.string().max(4_000).nullable();

export const pairQuerySchema = z.strictObject({
  /** Names of runs; null is the first, and the first other one. */
  left: runName,
  right: runName,
  /** Null proposes one. */
  leftStep: step,
  rightStep: step,
  show: z.enum(PAIR_SHOWS),
  /** Only prompts with this in them, whatever the case of its letters. */
  text: z.string().max(1_000),
  /**
   * The measure by whose difference (right - left) prompts are sorted and said to have risen or fallen; null is the
   * first that both tell.
   */
  measure: z.string().min(1).max(200).nullable(),
  isDescending: z.boolean(),
  from: z.int().min(0),
  count: z.int().min(0).max(100_000),
  /** The key of a prompt whose answers are wanted. */
  chosen: z.string().max(100).nullable(),
});
/** A question about two runs. */
export type PairQuery = z.output<typeof pairQuerySchema>;

/** What is compared: the mean over a prompt's answers of something, or what says how they are spread. */
export interface PairMeasure {
  readonly id: string;
  readonly title: string;
  /** Shares are of answers, from 0 to 1. */
  readonly isShare: boolean;
}

/** Values of a measure; null where nobody knows one. */
export interface PairValues {
  readonly left: number | null;
  readonly right: number | null;
}

/** A measure over the prompts that have it in both runs: means of the prompts' values. */
export interface PairTotal extends PairValues {
  readonly measure: string;
  readonly prompts: number;
  /** On how many of them it rose from left to right, fell, and is the same. */
  readonly moved: Readonly<Record<"rose" | "fell" | "same", number>>;
  /** right - left with its interval in 95 % of cases, prompts paired; null with the reason where nothing is known about its spread. */
  readonly difference: number | null;
  readonly interval: readonly [low: number, high: number] | null;
  readonly noInterval: string | null;
}

/** Where answers of a prompt lie in their run. */
export interface AskedPlace {
  readonly step: number;
  /** Groups of the step; several where the step asked the prompt more than once. */
  readonly promptIndices: readonly number[];
  readonly answers: number;
}

/** A prompt with what came of it in both runs; null where a run was not asked it. */
export interface PairedPrompt {
  readonly key: string;
  /** How its last question begins. */
  readonly begin: string;
  readonly left: AskedPlace | null;
  readonly right: AskedPlace | null;
  /** In the order of the measures. */
  readonly values: readonly PairValues[];
}

/** One of the two runs. */
export interface PairSide {
  readonly name: string;
  /** The form of its files. */
  readonly title: string;
  readonly steps: readonly number[];
  /** What is compared of it. */
  readonly step: PairStep;
  readonly prompts: number;
  readonly answers: number;
  /** Prompts there that the other run was not asked at what is compared of it, and those that it never was. */
  readonly alone: number;
  readonly never: number;
}

/** How two runs compare on the same prompts. */
export interface PairAnswer {
  /** Names of all runs that can be compared. */
  readonly runs: readonly string[];
  readonly left: PairSide;
  readonly right: PairSide;
  /** Why these steps, where nobody chose them; null where somebody did. */
  readonly stepsBy: string | null;
  readonly measures: readonly PairMeasure[];
  /** By which prompts are sorted. */
  readonly measure: string;
  readonly totals: readonly PairTotal[];
  /** What makes the two differ besides what they learnt, a sentence each. */
  readonly notes: readonly string[];
  /** Prompts under each choice of what is listed, with the text that is asked for. */
  readonly counts: Readonly<Record<PairShow, number>>;
  readonly rows: readonly PairedPrompt[];
  /** The groups of the prompt that was chosen; null where none was, or the runs have none of that key. */
  readonly chosen: { readonly prompt: PairedPrompt; readonly left: readonly GroupRecord[]; readonly right: readonly GroupRecord[] } | null;
}
