// What a baseline is: what a completion's reward is compared with, and all else that anybody asks about it. Each is one
// object in a file beside this one; the schema, the rules, formulas, sentences and exports read it there. None looks at
// the completion's own tokens, so the policy gradient stays unbiased up to the usual 1/G of the group mean.
import { type Summary, summarize } from "../advantage/statistics.ts";

/** Subtracts from each reward what it is compared with, [n]; NaN rewards (unscorable) stay NaN. Lengths are sampled tokens. */
type Centre = (rewards: readonly number[], lengths: readonly number[]) => readonly number[];

interface Described<Id extends string> {
  readonly id: Id;
  /** Left out where its name in words is its title. */
  readonly title?: string;
  /** Its letter in TeX. */
  readonly tex: string;
  /** What one reward is compared with, and what several of a group are. */
  readonly words: { readonly one: string; readonly many: string };
  /** Whether TRL's GRPOTrainer subtracts it. */
  readonly trl?: true;
  /** In verl: its adv_estimator. */
  readonly verl?: string;
}

/**
 * From what it is made: the rewards of a group or of the whole batch, a critic's values, or nothing, which leaves each
 * token its own return.
 */
export type Baseline<Id extends string = string> =
  | (Described<Id> & { readonly from: "group" | "batch"; readonly centre: Centre })
  | (Described<Id> & { readonly from: "critic" })
  | (Omit<Described<Id>, "tex" | "words"> & { readonly from: "nothing" });

export function baseline<const Id extends string, Written extends Baseline<Id>>(written: Written & { readonly id: Id }): Written {
  return written;
}

/**
 * Distances of a group's rewards from a level; exactly 0 where all are equal or only one could score, whatever the
 * rounding of their mean.
 */
export function centreOn(rewards: readonly number[], level: number, { equal }: Summary, stretch = 1): readonly number[] {
  return rewards.map((reward) => (Number.isNaN(reward) ? Number.NaN : equal ? 0 : stretch * (reward - level)));
}

/** The statistics of rewards that a level is taken from. */
export const summaryOf = (rewards: readonly number[]): Summary => summarize(rewards, "sample");
