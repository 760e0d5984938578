// Rewards that read what the environment reports: whether a game was won and what its turns earned on the way, and
// what careless use of tools costs.
import type { Trajectory } from "../types.ts";
import { defineReward } from "./rewardRule.ts";

/** What the game ended with: 1 for a won one, less for a draw, 0 for a lost or unfinished one. */
export const won = defineReward({
  name: "won",
  title: "Won",
  help: "1 when the game is won, 0.5 for a draw, else 0.",
  weight: 1,
  paysAnswers: true,
  score: (_, __, { report }) => report?.metrics.won ?? 0,
});

/** Sum of what the turns earned. */
export const progress = defineReward({
  name: "progress",
  title: "Progress",
  help: "How far the game came: what all turns earned together, 1 for a won game.",
  weight: 0.5,
  paysAnswers: true,
  score: (_, __, { report }) => (report?.turns ?? []).reduce((sum, { reward = 0 }) => sum + reward, 0),
  turns: (_, __, { report }) => (report?.turns ?? []).map(({ reward = 0 }) => reward),
});

/** A figure that the environment reports; 0 where it reports no such figure. */
function reported({ report }: Trajectory, name: string): number {
  return report?.metrics[name] ?? 0;
}

/** Number of calls that failed: unreadable, unknown, with wrong arguments, or beyond the limit. */
export const toolErrors = defineReward({
  name: "toolErrors",
  title: "Failed calls",
  help: "How many tool calls failed: malformed, unknown, with wrong arguments, or beyond the limit.",
  weight: -0.1,
  score: (_, __, trajectory) => reported(trajectory, "tool_errors"),
});

/** Number of calls with the name and arguments of an earlier one. */
export const repeatedCalls = defineReward({
  name: "repeatedCalls",
  title: "Repeated calls",
  help: "How many tool calls asked again what an earlier one had asked.",
  weight: -0.1,
  score: (_, __, trajectory) => reported(trajectory, "repeated_calls"),
});
