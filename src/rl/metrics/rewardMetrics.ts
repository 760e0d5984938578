// What a batch of rewards looks like: level, spread, and how many groups have rewards that differ, since
// the others give no gradient.
import type { GroupRecord, GroupSummary, RewardPartRecord } from "../../protocol/records.ts";
import { meanOf, membersOf, summarize } from "../advantage/statistics.ts";

interface RewardBatch {
  /** Weighted totals; null where nothing could score. */
  readonly rewards_Q: readonly (number | null)[];
  readonly parts_Q: readonly (readonly RewardPartRecord[])[];
  /** Whether each is right; null where nobody says it, and then what is told of right answers is left out. */
  readonly success_Q: readonly boolean[] | null;
  readonly groupOf_Q: ArrayLike<number>;
}

/**
 * reward and reward_std over the batch (sample std, as TRL), reward/group_std, rewards/<part>/{mean,std}
 * (unweighted values), rewards/<part>/failed (verdicts with a reason why there is none; left out where none), the share
 * of groups whose rewards are all equal, split by whether all were right, all wrong or neither, the success rate, and
 * reward/right_mean, what right answers earn. Means over nothing are left out. Written into `metrics`.
 */
export function rewardMetrics({ rewards_Q, parts_Q, success_Q, groupOf_Q }: RewardBatch, metrics: Record<string, number>): void {
  const totals = rewards_Q.map((reward) => reward ?? Number.NaN);
  const batch = summarize(totals, "sample");
  if (batch.count > 0) {
    metrics.reward = batch.mean;
    metrics.reward_std = batch.std;
  }
  const ofRight = totals.filter((total, q) => success_Q?.[q] && Number.isFinite(total));
  if (ofRight.length > 0) metrics["reward/right_mean"] = meanOf(ofRight);
  metrics.unscorable_ratio = totals.length > 0 ? (totals.length - batch.count) / totals.length : 0;
  for (const name of partNames(parts_Q)) {
    const records = parts_Q.map((parts) => parts.find((part) => part.name === name));
    const failed = records.filter((record) => record?.reason !== undefined).length;
    if (failed > 0) metrics[`rewards/${name}/failed`] = failed;
    const values = records.map((record) => record?.value ?? Number.NaN);
    const part = summarize(values, "sample");
    if (part.count === 0) continue;
    metrics[`rewards/${name}/mean`] = part.mean;
    metrics[`rewards/${name}/std`] = part.std;
  }
  const members_P = membersOf(groupOf_Q);
  if (members_P.length === 0) return;
  let stds = 0;
  let equal = 0;
  let allRight = 0;
  let allWrong = 0;
  for (const members of members_P) {
    const group = summarize(
      members.map((q) => totals[q]!),
      "sample",
    );
    stds += group.std;
    if (group.equal) equal += 1;
    if (members.every((q) => success_Q?.[q])) allRight += 1;
    if (members.every((q) => !success_Q?.[q])) allWrong += 1;
  }
  metrics["reward/group_std"] = stds / members_P.length;
  metrics.frac_reward_zero_std = equal / members_P.length;
  if (success_Q === null) return;
  metrics["groups/all_right"] = allRight / members_P.length;
  metrics["groups/all_wrong"] = allWrong / members_P.length;
  metrics["groups/mixed"] = (members_P.length - allRight - allWrong) / members_P.length;
  metrics.success_rate = success_Q.filter(Boolean).length / Math.max(1, success_Q.length);
}

/** Names of the parts that any completion has, in the order they first appear. */
function partNames(parts_Q: readonly (readonly RewardPartRecord[])[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const parts of parts_Q) for (const { name } of parts) names.add(name);
  return names;
}

/**
 * env/<name>: the mean of a figure that environments report (turns, calls, errors, cost) over the conversations whose
 * environment reports it. Written into `into` and returned.
 */
export function envMetrics(
  reported_Q: readonly (Readonly<Record<string, number>> | undefined)[],
  into: Record<string, number> = {},
): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const reported of reported_Q) {
    for (const [name, value] of Object.entries(reported ?? {})) {
      const entry = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: entry.sum + value, count: entry.count + 1 });
    }
  }
  for (const [name, { sum, count }] of sums) into[`env/${name}`] = sum / count;
  return into;
}

/**
 * A group in one line, from its record: what a list of prompts shows of steps that no engine here has taken. Numbers
 * that nobody said are NaN, and the largest advantage of nobody is 0.
 */
export function groupSummary({ step, promptIndex, messages, trajectories }: GroupRecord): GroupSummary {
  const { mean, std } = summarize(
    trajectories.map(({ reward }) => reward ?? Number.NaN),
    "sample",
  );
  const sizes = trajectories.flatMap(({ channels, advantage }) => channels.advantages ?? advantage ?? []).map(Math.abs);
  const judged = trajectories.filter(({ success }) => success !== null);
  return {
    step,
    promptIndex,
    prompt: messages.findLast(({ role }) => role === "user")?.content ?? messages.at(-1)?.content ?? "",
    meanReward: mean,
    rewardStd: std,
    successRate: judged.length === 0 ? Number.NaN : judged.filter(({ success }) => success).length / judged.length,
    largestAdvantage: sizes.reduce((most, size) => Math.max(most, size), 0),
  };
}
