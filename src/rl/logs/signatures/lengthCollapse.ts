// Answers shrink to a fraction of what they were and earn no more for it: the policy stopped saying what it was asked for.
import { measureText } from "../../../protocol/quantities.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

const FEWEST = 5;
const LEFT = 0.35;

export const lengthCollapse: Signature = {
  id: "length-collapse",
  title: "Answers shrink away",
  kind: "fault",
  leadsTo: ["reward-flat"],
  lesson: "length-bias",
  explains:
    "Answers that become ever shorter are mostly an easy way out: a penalty on length or on errors that a short answer escapes, parts of the reward that a bare form earns, or an update so long that the policy ends at once. Where the reward rose with it, it would be a saving; here it did not.",
  tries: [
    "Read answers of the first and the last step.",
    "Take away or lower what pays for being short, and pay for form only beside a right answer.",
    "A lower learning rate or a larger KL weight.",
  ],
  find(run) {
    const values = valuesOf(run, "completions/mean_length");
    const length = thirds(values);
    const reward = thirds(valuesOf(run, "reward"));
    if (values.length < FEWEST || !length || !reward || length.last > LEFT * length.first || reward.last > reward.first) return null;
    return `The mean length went from ${Math.round(length.first)} to ${Math.round(length.last)} tokens, while the reward went from ${measureText(reward.first)} to ${measureText(reward.last)}.`;
  },
};
