// What a race hands to its judge, and what it gets back; and whether a branch is the run it claims to be.
import { isSameStep, type StepRecord } from "../../protocol/records.ts";
import type { Axis } from "./axis.ts";
import type { Curve } from "./curve.ts";
import type { Difference, Reached } from "./difference.ts";
import type { Measure } from "./measures.ts";

/** What was measured of one combination of settings. */
export interface MeasuredCombination {
  /** A letter. */
  readonly id: string;
  readonly label: string;
  /** One for each seed, in an order that all combinations share; empty before the first measurement. */
  readonly curves: readonly Curve[];
  /** Answers behind each value; null for rewards. */
  readonly trials: number | null;
  /** These answers in words. */
  readonly asked?: string | null;
  /** What one answer more or less, of a reward of 1, makes of a value; 0 for shares, whose answers are counted. */
  readonly grain: number;
}

export interface RaceInput {
  readonly combinations: readonly MeasuredCombination[];
  readonly axis: Axis;
  readonly measure: Measure;
  /** Value whose reaching is told; null for none. */
  readonly target: number | null;
  /** Whether each seed's runs are compared with each other: all combinations have the same seeds. */
  readonly isPaired?: boolean;
  readonly isOver: boolean;
  /** What the comparison is called; a race where left out. */
  readonly called?: string;
  /** The farthest place that all runs have come to, which may lie beyond the last measurement of them all. */
  readonly now?: number;
}

/** How a combination stands where all are compared. */
export interface Standing {
  readonly id: string;
  readonly label: string;
  readonly reached: Reached;
  readonly asked: string | null;
  /** Where each seed was first at the target; null where it was not yet. */
  readonly targets: readonly (number | null)[];
  /** To the first combination; null for that itself and where nothing is known about the spread. */
  readonly toFirst: Difference | null;
}

/** What kind of answer a race gives. */
export type Shows = "nothing yet" | "no difference" | "two runs differ" | "a difference";

export interface RaceResult {
  readonly shows: Shows;
  readonly sentence: string;
  /** Where all are compared; null before all have something to compare. */
  readonly at: number | null;
  /** Seeds of each combination that count. */
  readonly seeds: number;
  /** In the order of the combinations; without those that have no measurement. */
  readonly standings: readonly Standing[];
}

/** The lead of the best combination over another one. */
export interface Lead {
  readonly best: Standing;
  readonly over: Standing;
  /** How far ahead, as a number >= 0: more reached, or sooner there; without an interval where nothing is known about the spread. */
  readonly value: number;
  readonly interval: readonly [low: number, high: number] | null;
  readonly apart: boolean;
}

/**
 * A branch is its run taken again from the start with one more change. That it is the same run up to the change is not
 * taken for granted: what both recorded of every step before it is compared.
 * "same" so far, up to `step`; "different" from `step` on.
 */
export interface Replay {
  readonly state: "same" | "different";
  readonly step: number;
}

/** Compares the steps up to the fork that both runs have recorded; null before the first. */
export function replayOf(run: readonly StepRecord[], branch: readonly StepRecord[], forkStep: number): Replay | null {
  const known = new Map(run.map((record) => [record.step, record]));
  let step = 0;
  for (const record of branch) {
    if (record.step > forkStep) break;
    const before = known.get(record.step);
    if (!before) continue;
    if (!isSameStep(before, record)) return { state: "different", step: record.step };
    step = record.step;
  }
  return step === 0 ? null : { state: "same", step };
}
