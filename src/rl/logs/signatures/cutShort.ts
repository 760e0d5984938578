// A good share of answers is cut off, while the others still earn: less than the cause of everything, more than can be left alone.
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../advantage/statistics.ts";
import { type Signature, stepsOf, valuesOf } from "./signature.ts";

const MANY = 0.15;

export const cutShort: Signature = {
  id: "cut-short",
  title: "Many answers are cut off",
  kind: "fault",
  cause: "cut-off",
  lesson: "length-bias",
  explains:
    "An answer that a limit ends cannot be right, however it would have gone on, and the policy learns that long answers are bad ones. The share says how many; the longest answers say whether they are long thoughts or the same words again and again.",
  tries: [
    "Read answers that were cut off: do they repeat themselves?",
    "A higher limit of tokens.",
    "Leave answers that were cut off out of the loss, or a soft penalty before the limit.",
  ],
  find(run) {
    const clipped = valuesOf(run, "completions/clipped_ratio");
    const share = meanOf(clipped);
    if (!(share >= MANY)) return null;
    const mean = valuesOf(run, "completions/mean_length");
    const longest = valuesOf(run, "completions/max_length");
    const lengths =
      mean.length > 0 && longest.length > 0 ? `: ${Math.round(meanOf(mean))} tokens on average, ${Math.max(...longest)} at most` : "";
    const reward = valuesOf(run, "reward");
    const steps = stepsOf(run);
    return `${shareText(share)} of the answers ${steps === 1 ? "of the one step of the log" : `of ${steps} steps`} were cut off${lengths}${reward.length > 0 ? `; the mean reward is ${measureText(meanOf(reward))}` : ""}.`;
  },
};
