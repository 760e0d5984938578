// A group in one line, from its record: what a list of prompts shows of steps that no engine here has taken.
import type { GroupRecord, GroupSummary } from "../../protocol/records.ts";
import { summarize } from "../advantage/statistics.ts";

/** Numbers that nobody said are NaN, and the largest advantage of nobody is 0. */
export function groupSummary({ step, promptIndex, messages, trajectories }: GroupRecord): GroupSummary {
  const { mean, std } = summarize(
    trajectories.map(({ reward }) => reward ?? Number.NaN),
    "sample",
  );
  const sizes = trajectories.flatMap(({ channels, advantage }) => channels.advantages ?? advantage ?? []).map(Math.abs);
  const judged = trajectories.filter(({ success }) => success !== null);
  return {
    ...{ step, promptIndex, prompt: messages.findLast(({ role }) => role === "user")?.content ?? messages.at(-1)?.content ?? "" },
    ...{ meanReward: mean, rewardStd: std },
    successRate: judged.length === 0 ? Number.NaN : judged.filter(({ success }) => success).length / judged.length,
    largestAdvantage: sizes.reduce((most, size) => Math.max(most, size), 0),
  };
}
