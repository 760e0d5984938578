// What a lesson asks of its engine, and what it gets.
import type { RunConfig, RunConfigInput } from "../../../protocol/config.ts";
import type { StepGroups } from "../../../protocol/messages.ts";
import type { StepRecord } from "../../../protocol/records.ts";

/** A run to its last step. */
export interface LabPlan {
  readonly config: RunConfigInput;
  /** Steps whose groups are wanted with their tokens. */
  readonly inspect: readonly number[];
}

/** What a finished run left. */
export interface LabRun {
  readonly config: RunConfig;
  readonly records: readonly StepRecord[];
  /** All groups of the steps that were asked for. */
  readonly steps: readonly StepGroups[];
}

/** The runs of a lesson in the order of its plans; none before they are there. */
export type LabRuns = readonly LabRun[];
