// The soft overlong punishment of DAPO (Yu et al. 2025, arXiv 2503.14476, eq. 13): completions may run
// into a buffer before the length limit, at a price that grows linearly to -1.
import type { RewardPartRecord } from "../../protocol/records.ts";
import { turnRuns } from "../advantage/turnSpans.ts";
import type { LengthLimit } from "../types.ts";

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
