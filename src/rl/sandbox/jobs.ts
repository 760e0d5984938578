// What a sandbox is asked: code as text, options and inputs as plain data. What comes back are numbers, nulls and reasons,
// of code in a frame texts of JSON.
import type { FrameName } from "./frames.ts";

/** Code that gives a number for each input. */
export interface SandboxJob {
  /** A module of TypeScript or JavaScript that exports a function: (input, { options, random }) => number | null. */
  readonly source: string;
  /** Name of that function; where it is missing and one function alone is exported, that one. */
  readonly entry: string;
  readonly options: Readonly<Record<string, number | string | boolean>>;
  /**
   * What a call may compute, in milliseconds of a usual machine; counted in the code's own steps, so that every machine
   * ends it at the same one.
   */
  readonly workMs: number;
}

/** Code in a frame, which calls its functions and writes what they return as JSON. */
export interface FramedJob extends Omit<SandboxJob, "entry"> {
  readonly frame: FrameName;
}

/** An input of a job, and the seed of the chance that the call may use: a whole number below 2^32. */
export interface SandboxInput {
  /** JSON. */
  readonly value: string;
  readonly seed: number;
}

/** A job and what it is done to. */
export interface SandboxBatch<Job = SandboxJob> {
  readonly job: Job;
  readonly inputs: readonly SandboxInput[];
}

/** Why there is no number, with the line of the source where that is known, from 1. */
export interface SandboxFailure {
  readonly reason: string;
  readonly line?: number;
}

/** A number, null where the code cannot say, or why there is neither. */
export type SandboxAnswer = number | null | SandboxFailure;

/** What code in a frame returned, or why it did not. */
export type FramedAnswer = { readonly json: string } | SandboxFailure;

/** Does jobs elsewhere; one answer for each input, in order. Never rejects. */
export interface Sandbox {
  run(batch: SandboxBatch): Promise<readonly SandboxAnswer[]>;
  runFramed(batch: SandboxBatch<FramedJob>): Promise<readonly FramedAnswer[]>;
}

/** Either kind, as the thread has it. */
export type AnyAnswer = SandboxAnswer | FramedAnswer;

/** Posted to the thread first: the compiled interpreter. */
export interface SandboxStart {
  readonly interpreter: unknown;
}

/** Posted to the thread then. With `isPatient` answers come gathered, else each by itself, so that a late one is known. */
export interface SandboxOrder extends SandboxBatch<SandboxJob | FramedJob> {
  readonly isPatient: boolean;
}

/** Posted by the thread: that it can take orders, or the next answers to the order. */
export type SandboxReply = "up" | readonly AnyAnswer[];

/** Most late calls of a batch before the rest is not asked. */
export const MOST_LATE = 3;

/** Why the rest is not. @param why what the calls before it did. */
export const notAsked = (why: string) => `was not asked, since ${MOST_LATE} before ${why}`;

/** Longest text of JSON that comes out of a frame. */
export const LONGEST_JSON = 2 ** 18;

/** Memory that code may take, in bytes. */
export const MEMORY_BYTES = 64 * 2 ** 20;
