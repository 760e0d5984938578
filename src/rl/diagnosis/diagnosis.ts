// What a diagnosis is: a known way in which training goes wrong, how its trace is found in what a run has
// recorded, and what to try. Pure functions, one file each; index.ts lists them.
import type { RunConfig } from "../../protocol/config.ts";
import type { RunHistory } from "../verdict/history.ts";

/** The trace of something that goes wrong. */
export interface Finding {
  /** One sentence with the numbers of the run. */
  readonly evidence: string;
  /** What to try, the likeliest help first. */
  readonly tries: readonly string[];
  /** The first of these as one setting, for a fork or another run to try; null where no setting does it. */
  readonly remedy: { readonly settings: Partial<RunConfig> } | null;
  /** A cause that the settings themselves name: told before what only follows from it. */
  readonly isCause?: boolean;
}

export interface Diagnosis {
  readonly id: string;
  readonly title: string;
  /** What happens and why, for somebody who has not met it before. */
  readonly explains: string;
  /** It can go wrong while the verdict still reads "improving". */
  readonly hidesInProgress?: true;
  /** The trace in a run, or null where there is none. */
  readonly find: (history: RunHistory) => Finding | null;
}

/** Share of right answers in training from which a policy knows its problems: nothing needs to be found any more. */
export const KNOWN_SHARE = 0.7;

/** A third of a learning rate, with as many digits as people give one. */
export function thirdOf(learningRate: number): number {
  return Number((learningRate / 3).toPrecision(2));
}
