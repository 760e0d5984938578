// Lengths of completions, under TRL's names, and what ended them. A completion is terminated when a stop token ended it and
// clipped when the length limit did.
import type { StopReason } from "../../protocol/records.ts";
import { meanOf } from "../advantage/statistics.ts";

/**
 * completions/{mean,min,max}_length, the same over terminated completions (left out when there are
 * none), and completions/clipped_ratio. Written into `into`.
 * @param lengths_Q sampled tokens, the stop token included. @param terminated_Q whether a stop token ended it; null where nobody knows.
 */
export function completionMetrics(
  lengths_Q: readonly number[],
  terminated_Q: readonly boolean[] | null,
  into: Record<string, number>,
): void {
  const count = lengths_Q.length;
  if (count === 0) return;
  const all = extremes(lengths_Q, null);
  into["completions/mean_length"] = all.sum / count;
  into["completions/min_length"] = all.min;
  into["completions/max_length"] = all.max;
  if (terminated_Q === null) return;
  const terminated = extremes(lengths_Q, terminated_Q);
  if (terminated.count > 0) {
    into["completions/mean_terminated_length"] = terminated.sum / terminated.count;
    into["completions/min_terminated_length"] = terminated.min;
    into["completions/max_terminated_length"] = terminated.max;
  }
  into["completions/clipped_ratio"] = (count - terminated.count) / count;
}

/** Limits beside that of tokens which may end a conversation, with the metric that counts it. */
const LIMITS = [
  ["max-turns", "completions/max_turns_ratio"],
  ["max-calls", "completions/max_calls_ratio"],
  ["max-context", "completions/max_context_ratio"],
] as const;

/**
 * completions/max_{turns,calls,context}_ratio: shares of conversations that such a limit ended; completions/limited_reward: the mean
 * reward of those that any limit ended, that of tokens included; completions/empty_ratio: the share of answers that are nothing but
 * their stop token. Each is left out where there are none. Written into `into`.
 * @param rewards_Q null where nothing could score
 */
export function endMetrics(
  ends_Q: readonly { readonly stopReason: StopReason; readonly sampledTokens: number }[],
  rewards_Q: readonly (number | null)[],
  into: Record<string, number>,
): void {
  const share = (count: number, key: string) => {
    if (count > 0) into[key] = count / ends_Q.length;
  };
  for (const [reason, key] of LIMITS) share(ends_Q.filter(({ stopReason }) => stopReason === reason).length, key);
  share(
    ends_Q.filter(({ stopReason, sampledTokens }) => stopReason === "completed" && sampledTokens <= 1).length,
    "completions/empty_ratio",
  );
  const limited = rewards_Q.filter((reward, q): reward is number => reward !== null && ends_Q[q]!.stopReason.startsWith("max-"));
  if (limited.length > 0) into["completions/limited_reward"] = meanOf(limited);
}

/** Sum and extremes of the lengths that `only_Q` lets through; null lets all through. */
function extremes(lengths_Q: readonly number[], only_Q: readonly boolean[] | null) {
  let count = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let q = 0; q < lengths_Q.length; q++) {
    if (only_Q && !only_Q[q]) continue;
    const length = lengths_Q[q]!;
    count += 1;
    sum += length;
    if (length < min) min = length;
    if (length > max) max = length;
  }
  return { count, sum, min, max };
}
