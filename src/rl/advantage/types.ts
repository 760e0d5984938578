// What goes into and comes out of computing advantages.

import type { KeysWith } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { RewardPartRecord } from "../../protocol/records.ts";
import { usesCritic } from "../baselines/index.ts";
import type { TurnSpan } from "./turnSpans.ts";

/** The settings of a configuration that advantages depend on. */
export type AdvantageConfig = Pick<RunConfig, KeysWith<"inAdvantages">>;

/** Whether turns are credited one by one: parts normalised for whole completions cannot be. */
export function creditsTurns(config: AdvantageConfig): boolean {
  return config.credit === "turn" && (usesCritic(config) || config.rewardAggregation === "sum-then-normalize");
}

/** One batch of Q completions with K tokens in all, ordered by sequence. */
export interface AdvantageInput {
  /** Weighted total of each completion; null where nothing could score: it counts in no statistic and gets advantage 0. */
  readonly rewards_Q: readonly (number | null)[];
  /** Unweighted parts with their weights; needed for normalize-then-sum only. */
  readonly parts_Q?: readonly (readonly RewardPartRecord[])[];
  /** The turns of each completion, all its tokens between them; left out where every completion is one turn without a named agent. */
  readonly turns_Q?: readonly (readonly TurnSpan[])[];
  /** Group of each completion, 0 .. G-1. */
  readonly groupOf_Q: Int32Array;
  /** Tokens the policy sampled in each completion; the lengths of the length-weighted baseline. */
  readonly tokenCount_Q: ArrayLike<number>;
  /** First token of each sequence, plus the end: Q + 1 entries. */
  readonly sequenceStart_Q: Int32Array;
  /** 1 where the token is trained. */
  readonly mask_K: ArrayLike<number>;
  /** Log-probs as sampled, and under the reference (nats); the reference is needed for a KL in the reward. */
  readonly oldLogprobs_K: ArrayLike<number>;
  readonly refLogprobs_K: ArrayLike<number> | null;
  /** Critic values; needed for the critic baseline. */
  readonly values_K: ArrayLike<number> | null;
  /**
   * Critic value of where each completion stopped, 0 where it ended by itself; null or left out where nothing is to
   * follow the end of any.
   */
  readonly bootstrap_Q?: ArrayLike<number> | null;
}

/**
 * How each completion's advantage came about, in one line for every baseline and scale:
 * ((from - baseline) / scale · fade - shift) / spread. Without value (NaN) where a completion has no reward or trains nothing.
 */
export interface AdvantageTerms {
  /** The reward with any KL in it, its normalised parts, or the mean return of the trained tokens where each has its own. */
  readonly from_Q: ArrayLike<number>;
  /** What it is compared with; of a critic the mean of its values. 0 where there is no baseline. */
  readonly baseline_Q: ArrayLike<number>;
  /** 1 where nothing is divided. */
  readonly scale_Q: ArrayLike<number>;
  /** Mean discount over the trained tokens, 1 without. */
  readonly fade_Q: ArrayLike<number>;
  /** Mean and deviation that whitening takes out; 0 and 1 without it. */
  readonly shift: number;
  readonly spread: number;
}

/** The terms of completions or turns that were compared with each other. */
export interface ComparedSpans extends AdvantageTerms {
  readonly start_A: Int32Array;
  /** 1 at the tokens whose advantage they make. */
  readonly scored_K: Uint8Array;
}

/** The advantages of a batch, by sequence and by token, and how they came about. */
export interface AdvantageResult {
  /** One advantage per completion; the mean over trained tokens where they differ. */
  readonly advantages_Q: Float64Array;
  /** One advantage per token, 0 where it is not trained. */
  readonly advantages_K: Float64Array;
  /** Null where turns or agents are compared, of which a completion may have several. */
  readonly terms: AdvantageTerms | null;
  /** What was compared: all completions, or those or the turns of one agent after another, whose tokens begin at `start_A`. */
  readonly compared: readonly ComparedSpans[];
  /** What the critic should have predicted; null without a critic. */
  readonly returns_K: Float64Array | null;
  /** True where all rewards that are compared in a group are equal (or fewer than two could score): nothing to tell apart. */
  readonly zeroSpread_P: boolean[];
}
