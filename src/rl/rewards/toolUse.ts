// What careless use of tools costs: calls that failed, and calls that asked again what had been answered.
import type { Trajectory } from "../types.ts";
import { defineReward } from "./rewardRule.ts";

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
