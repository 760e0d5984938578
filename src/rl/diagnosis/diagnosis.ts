// What a diagnosis is: a known way in which training goes wrong, how its trace is found in what a run has
// recorded, and what to try. Pure functions, one file each; index.ts lists them.

import type { RunConfig } from "../../protocol/config.ts";
import { roundedSetting } from "../../protocol/quantities.ts";
import type { RunHistory } from "../verdict/history.ts";

/**
 * What a diagnosis reads: facts of a configuration, metrics by step, evaluations. Of a log that another program wrote only some
 * of them are known; a diagnosis that lacks a number says nothing, for what is absent is not 0.
 */
export type RunEvidence = Omit<RunHistory, "config"> & { readonly config: Partial<RunConfig> };

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

/** What a diagnosis has to know before it can say that its trace is there, or that it is not. */
export interface Needs {
  /** Metrics of the steps, all of them. */
  readonly metrics: readonly string[];
  readonly settings?: readonly (keyof RunConfig)[];
  /** Evaluations on held-out problems, with how many problems were asked. */
  readonly evaluations?: true;
  /** What policies that are not trained earn. */
  readonly baselines?: true;
  /** Steps at least; 2 where left out. */
  readonly steps?: number;
}

/** How many groups and answers a step has: what shares are of. */
export const SIZES = ["groupSize", "promptsPerStep"] as const;

export interface Diagnosis {
  readonly id: string;
  readonly title: string;
  /** What happens and why, for somebody who has not met it before. */
  readonly explains: string;
  /** It can go wrong while the verdict still reads "improving". */
  readonly hidesInProgress?: true;
  /** Of training on worked examples, which has no rewards; else of learning from rewards. */
  readonly isSupervised?: true;
  /** It asks itself whether right answers are paid for. Others see no right answers where nobody pays for them. */
  readonly knowsUnpaid?: true;
  /** Ids of what only follows from it, and is not told beside it. */
  readonly leadsTo?: readonly string[];
  /** What it reads: without one of these it never finds anything, which does not mean that nothing is wrong. */
  readonly needs: Needs;
  /** The trace in a run, or null where there is none, or where a number that it needs is not known. */
  readonly find: (run: RunEvidence) => Finding | null;
}

/** Share of right answers in training from which a policy knows its problems: nothing needs to be found any more. */
export const KNOWN_SHARE = 0.7;

/**
 * Entropy, in nats a token, from which answers are noise: a free choice among twenty tokens at each place. Trained
 * language models are below 2.
 */
export const NOISE_NATS = 3;

/** A third of the learning rate, with as many digits as people give one; null where the rate is not known. */
export function thirdOfRate({ learningRate = 0 }: Partial<RunConfig>): Finding["remedy"] {
  return learningRate > 0 ? { settings: { learningRate: roundedSetting(learningRate / 3) } } : null;
}
