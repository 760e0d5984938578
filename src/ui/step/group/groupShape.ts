// A sampled group as small drawings read it: one number for each completion and phase. Pure.
import type { RunConfig } from "../../../protocol/config.ts";
import { PHASES, type Phase } from "../../../protocol/messages.ts";
import { measureText } from "../../../protocol/quantities.ts";
import { type GroupRecord, NO_TOKEN, type TrajectoryRecord } from "../../../protocol/records.ts";
import { type Summary, summarize } from "../../../rl/advantage/statistics.ts";

/** Changes of log-prob are drawn at least on this scale, so that noise does not look like learning. */
export const VISIBLE_CHANGE_NATS = 0.01;

/** Whether a group recorded after the phase `reached` already knows what `phase` did to it. */
export function isKnown(phase: Phase, reached: Phase): boolean {
  return PHASES.indexOf(phase) <= PHASES.indexOf(reached);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Tokens that the policy sampled of a completion: its length, in which what others said does not count. */
export function sampledTokens({ sampled }: Pick<TrajectoryRecord, "sampled">): number {
  return sum(sampled);
}

/** Numbers by which tokens of some answers are the same or not: their ids, and where nobody knows those a number for each text. */
export function tokenKeys(answers: readonly Pick<TrajectoryRecord, "tokens" | "pieces">[]): readonly (readonly number[])[] {
  const words = new Map<string, number>();
  const keyOf = (piece: string): number => {
    const key = words.get(piece) ?? NO_TOKEN - 1 - words.size;
    words.set(piece, key);
    return key;
  };
  return answers.map(({ tokens, pieces }) =>
    tokens.includes(NO_TOKEN) ? tokens.map((id, t) => (id === NO_TOKEN ? keyOf(pieces[t] ?? "") : id)) : tokens,
  );
}

/** Change of a completion's log-prob by the update (nats), over trained tokens; null if not measured. */
export function logprobChange({ channels, isBare }: TrajectoryRecord): number | null {
  const { newLogprobs, oldLogprobs, mask } = channels;
  if (!newLogprobs || !oldLogprobs || isBare) return null;
  return sum(newLogprobs.map((value, i) => (mask[i] ? value - (oldLogprobs[i] ?? 0) : 0)));
}

/** Log-prob of a completion as it was sampled (nats); null where it is not here. */
export function completionLogprob({ channels, isBare }: TrajectoryRecord): number | null {
  return isBare || !channels.oldLogprobs ? null : sum(channels.oldLogprobs);
}

/** Mean and standard deviation (n - 1, as TRL) of the rewards that could be given; null without any. */
export function rewardSpread(group: GroupRecord): Pick<Summary, "mean" | "std"> | null {
  const rewards = summarize(
    group.trajectories.map(({ reward }) => reward ?? Number.NaN),
    "sample",
  );
  return rewards.count > 0 ? rewards : null;
}

/** One number per completion for a phase: tokens, reward, advantage, change of log-prob (nats). */
export function phaseValues(phase: Phase, group: GroupRecord): readonly (number | null)[] {
  switch (phase) {
    case "sample":
      return group.trajectories.map(sampledTokens);
    case "score":
      return group.trajectories.map(({ reward }) => reward);
    case "advantage":
      return group.trajectories.map(({ advantage }) => advantage);
    case "update":
      return group.trajectories.map(logprobChange);
    case "evaluate":
      return [];
  }
}

/** What is right where no answer is expected: what earns enough, or what the task alone can say. */
export function rightWithoutAnswer({ task, customTasks }: RunConfig): string {
  const own = customTasks[task];
  return own && !own.environment
    ? `No answer is expected: right is what earns ${measureText(own.solvedFrom)} or more`
    : "No one answer is expected";
}
