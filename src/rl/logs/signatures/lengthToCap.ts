// Answers grow until the limit cuts them off.
import { measureText, shareText } from "../../../protocol/quantities.ts";
import type { LogEvidence } from "../logEvidence.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

const GROWN = 1.5;
const NEAR = 0.8;
const MANY = 0.3;

/** Where the limit lies: set, or the longest answer of the log, which so many reach. */
function capOf(run: LogEvidence): number {
  const longest = valuesOf(run, "completions/max_length");
  return run.config.maxCompletionTokens ?? (longest.length > 0 ? Math.max(...longest) : Number.NaN);
}

export const lengthToCap: Signature = {
  id: "length-to-cap",
  title: "Answers grow to the limit",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["all-cut-off", "reward-flat", "cut-off", "cut-short"],
  lesson: "length-bias",
  explains:
    "Where the loss of an answer is divided by its length, a long wrong answer is pushed down less at each token than a short one: answers grow. Once many are cut off, what they would have earned is lost, and the reward falls after the length.",
  tries: [
    "A loss that is summed over tokens and divided by a constant (Dr. GRPO), or a mean over all tokens of the batch (DAPO).",
    "A penalty that grows over the last tokens before the limit (DAPO's soft overlong punishment).",
    "Leave answers that were cut off out of the loss (mask_truncated_completions), and a higher limit.",
    "Look at the longest answers: repetition is not reasoning.",
  ],
  find(run) {
    const lengths = thirds(valuesOf(run, "completions/mean_length"));
    const clipped = thirds(valuesOf(run, "completions/clipped_ratio"));
    if (!lengths || lengths.last < GROWN * lengths.first) return null;
    const cap = capOf(run);
    const isNear = lengths.last >= NEAR * cap;
    if (!isNear && !(clipped && clipped.last >= MANY && clipped.last > clipped.first)) return null;
    const cut = clipped ? `, and the share that is cut off from ${shareText(clipped.first)} to ${shareText(clipped.last)}` : "";
    const reward = thirds(valuesOf(run, "reward"));
    const earned = reward ? `; the reward went from ${measureText(reward.first)} to ${measureText(reward.last)}` : "";
    const limit = Number.isFinite(cap) ? ` (the limit, or the longest answer, is ${Math.round(cap)})` : "";
    return `The mean length went from ${Math.round(lengths.first)} to ${Math.round(lengths.last)} tokens${limit}${cut}${earned}.`;
  },
};
