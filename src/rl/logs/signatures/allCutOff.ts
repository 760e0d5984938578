// Nearly every answer ends at the limit of tokens, and the reward does not tell them apart. The diagnosis "cut-off" says so more carefully
// where sizes of groups are known; a log of a few lines says enough.
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { EQUAL } from "../../verdict/history.ts";
import type { LogEvidence } from "../logEvidence.ts";
import { inSteps, type Signature, stepsOf, valuesOf } from "./signature.ts";

/** Shares from which it is the cause where little is earned, and whatever is earned: then no answer ever ends. */
const MOST = 0.8;
const ALL = 0.98;

/** Steps whose answers all have the same length, which only a limit does. */
function sameLengths(run: LogEvidence): readonly number[] {
  const rows = run.log.rows.filter(({ metrics }) => metrics["completions/min_length"] !== undefined);
  return rows.flatMap(({ metrics }) =>
    metrics["completions/min_length"] === metrics["completions/max_length"] ? [metrics["completions/min_length"]!] : [],
  );
}

/** How near the longest mean others lie that are at a limit, the share of steps, and the fewest where the limit is not set. */
const NEAR = 0.005;
const STEPS = 0.8;
const FEWEST = 3;
/** Limits are set to such numbers; mean lengths that come to rest at one do so by no chance, nor does a single one at a rounder yet. */
const isRound = (tokens: number, steps: number): boolean =>
  tokens >= 64 && (steps < FEWEST ? tokens % 256 === 0 : tokens % 64 === 0 || tokens % 50 === 0);

/** The mean lengths that lie at the limit, where no program says how many answers it ended: older logs have nothing else. */
function atLimit(run: LogEvidence): readonly number[] {
  const lengths = valuesOf(run, "completions/mean_length");
  const longest = Math.max(...lengths, 0);
  const cap = run.config.maxCompletionTokens ?? (isRound(longest, lengths.length) ? longest : undefined);
  const near = lengths.filter((length) => cap !== undefined && cap - length <= NEAR * cap);
  return near.length >= STEPS * lengths.length ? near : [];
}

/** What the answers earn, where that is too little to learn from or all are cut off anyway. */
function earnedOf(run: LogEvidence, isAll: boolean): string | null {
  const stds = valuesOf(run, "reward_std");
  const tied = valuesOf(run, "frac_reward_zero_std");
  const rewards = valuesOf(run, "reward");
  if (rewards.length === 0) return isAll ? "; the log has no reward" : null;
  const isFlat = (stds.length > 0 && stds.filter((std) => std <= EQUAL).length >= stds.length / 2) || meanOf(tied) > 0.5;
  const isNothing = rewards.length > 0 && rewards.filter((reward) => Math.abs(reward) <= EQUAL).length >= rewards.length / 2;
  if (!isFlat && !isNothing && !isAll) return null;
  return `; the mean reward is ${measureText(meanOf(rewards))}${stds.length > 0 ? `, its spread ${measureText(meanOf(stds))}` : ""}`;
}

export const allCutOff: Signature = {
  id: "all-cut-off",
  title: "Answers are cut off",
  kind: "fault",
  cause: "cut-off",
  leadsTo: [
    "cut-short",
    "nothing-earned",
    "all-equal",
    "equal-within-groups",
    "tied-groups",
    "reward-flat",
    "loss-zero-gradient-not",
    "loss-starts-at-zero",
  ],
  lesson: "nothing-moves",
  explains:
    "A limit ends an answer that is not finished yet. What would have been rewarded stands behind it, so all such answers earn the same, every advantage is 0, and loss and gradient are 0 with them. An easier task or another reward would be cut off too.",
  tries: [
    "A higher limit of tokens (TRL: max_completion_length, verl: data.max_response_length).",
    "A prompt that asks for short answers, or a model that ends its answers.",
    "Look whether the end token is one of those that stop the sampler.",
    "Part credit for what an answer contains before it is cut off.",
  ],
  find(run) {
    const clipped = valuesOf(run, "completions/clipped_ratio");
    const same = sameLengths(run);
    const isSame = same.length >= 2 && same.length === stepsOf(run);
    const near = clipped.length === 0 && !isSame ? atLimit(run) : [];
    const share = clipped.length > 0 ? meanOf(clipped) : isSame || near.length > 0 ? 1 : 0;
    const earned = earnedOf(run, share >= ALL && near.length === 0);
    if (share < MOST || earned === null) return null;
    if (near.length > 0)
      return `${inSteps(near.length, valuesOf(run, "completions/mean_length").length)} the mean length is ${Math.round(Math.max(...near))} tokens, ${run.config.maxCompletionTokens ? "which is the limit" : "a number that limits are set to"}: hardly an answer ends by itself${earned}.`;
    const many = clipped.length > 0 ? clipped.filter((each) => each >= MOST).length : same.length;
    const lengths = valuesOf(run, "completions/mean_length");
    const cap =
      run.config.maxCompletionTokens ?? (same.length > 0 ? same[0] : lengths.length > 0 ? Math.round(Math.max(...lengths)) : undefined);
    return `${inSteps(many, Math.max(clipped.length, same.length))} ${share === 1 ? "all" : shareText(share)} of the answers ended at the limit${cap ? ` of ${cap} tokens` : ""}${earned}.`;
  },
};
