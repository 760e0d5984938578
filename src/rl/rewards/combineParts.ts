// From a completion's reward parts to the one number it is trained on:
// - the weighted sum, as everywhere (TRL's reward_weights, the rubrics of verifiers);
// - gates: where a part that must be 1 is not, the reward is a fixed number whatever the others say, as a
//   broken form is -1 in the code of Router-R1 (Zhang et al. 2025, arXiv 2506.09033); with 0 it is a product;
// - DAPO's overlong punishment on top (Yu et al. 2025, arXiv 2503.14476, eq. 13): completions may run into a buffer
//   before the length limit, at a price that grows linearly to -1;
// - a clip of all that, against single rewards that outweigh all others (clip_reward_value of DeepSpeed-Chat).
// A part that could not score is left out rather than counted as zero.
import type { RewardPartRecord } from "../../protocol/records.ts";
import { turnRuns } from "../advantage/turnSpans.ts";
import type { LengthLimit } from "../types.ts";

/** How the parts of a reward become one number. */
export interface RewardTransform {
  /** By name of a part: the reward where that part is below 1. */
  readonly gates: Readonly<Record<string, number>>;
  /** Largest size of a reward, the overlong punishment included; 0 for none. */
  readonly clip: number;
}

export const PLAIN_SUM: RewardTransform = { gates: {}, clip: 0 };

/** Σ weight · value over the parts that could score; parts of weight 0 are metrics and decide nothing. */
function weightedSum(records: readonly RewardPartRecord[]): number | null {
  // With every weight 0 there is nothing to learn but also nothing wrong: the sum is 0.
  const isWeighted = records.some((record) => record.weight !== 0);
  let sum: number | null = null;
  for (const { value, weight } of records) {
    // Of parts whose weight nobody knows there is no sum.
    if (weight === null) return null;
    if (value !== null && (weight !== 0 || !isWeighted)) sum = (sum ?? 0) + weight * value;
  }
  return sum;
}

/** Sums of rewards are off by rounding: 0.3 + 0.4 + 0.2 + 0.1 is less than 1. */
const ROUNDING = 1e-9;

/** Whether a reward counts as at least `wanted`, from which on a conversation is right. */
export function reaches(reward: number, wanted: number): boolean {
  return reward >= wanted - ROUNDING * Math.max(1, Math.abs(wanted));
}

/**
 * The reward, or null where no weighted part or a gate could not score. Of several closed gates the lowest reward counts.
 * @param overlong the punishment for length, <= 0; what could not be scored is not punished either.
 */
export function combineParts(records: readonly RewardPartRecord[], { gates, clip }: RewardTransform, overlong = 0): number | null {
  let closed = Number.POSITIVE_INFINITY;
  for (const { name, value } of records) {
    if (!Object.hasOwn(gates, name)) continue;
    if (value === null) return null;
    if (value < 1) closed = Math.min(closed, gates[name]!);
  }
  const scored = closed < Number.POSITIVE_INFINITY ? closed : weightedSum(records);
  if (scored === null) return null;
  const total = scored + overlong;
  if (clip === 0) return total;
  return Math.max(-clip, Math.min(clip, total));
}

/**
 * Weighted sums of what the parts say that each turn earned; null where none says it, or where the total is not
 * the parts' sum (a closed gate, a clip): then it is the verdict on the whole conversation.
 */
export function combineTurns(records: readonly RewardPartRecord[], total: number): readonly number[] | null {
  const isPlaced = ({ turns, weight }: RewardPartRecord) => turns !== undefined && weight !== 0;
  const first = records.find(isPlaced);
  if (!first?.turns || total !== weightedSum(records)) return null;
  const placed = records.filter(isPlaced);
  return first.turns.map((_, turn) => placed.reduce((sum, { turns, weight }) => sum + (weight ?? 0) * turns![turn]!, 0));
}

/**
 * 0 up to limit - buffer, then (limit - buffer - length) / buffer, and -1 from the limit on.
 * @param length tokens sampled. @param limit most tokens a completion may have. @param buffer > 0.
 */
export function overlongPunishment(length: number, limit: number, buffer: number): number {
  const free = limit - buffer;
  if (length <= free) return 0;
  return Math.max(-1, (free - length) / buffer);
}

/** The punishment as a part of the reward, for the longest turn, since the limit is one of each turn; null without a buffer. */
export function overlongPart(mask: readonly number[], limit: LengthLimit): (RewardPartRecord & { readonly value: number }) | null {
  const { maxCompletionTokens, overlongBuffer } = limit;
  if (overlongBuffer === 0) return null;
  const longest = turnRuns(mask).reduce((most, { start, end }) => Math.max(most, end - start), 0);
  return { name: "overlong", value: overlongPunishment(longest, maxCompletionTokens, overlongBuffer), weight: 1 };
}
