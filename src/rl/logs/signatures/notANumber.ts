// A loss, a gradient or a KL that is no number any more: what was computed before it still counts, all after it is lost.
import { counted, measureText } from "../../../protocol/quantities.ts";
import type { Signature } from "./signature.ts";

const KEYS = ["loss", "loss/policy", "grad_norm", "kl"] as const;

export const notANumber: Signature = {
  id: "not-a-number",
  title: "The numbers broke off",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: [
    "nothing-earned",
    "no-advantage",
    "averages-of-nothing",
    "reward-flat",
    "reward-lost",
    "all-cut-off",
    "length-to-cap",
    "kl-runaway",
    "cut-off",
  ],
  lesson: "policy-gradient",
  explains:
    "One value that overflowed makes the loss nan, its gradient makes every weight nan, and from then on the model writes the same token again and again, which earns nothing. The step before the first nan is the one to look at; the reward that falls after it is what follows.",
  tries: [
    "Go back to the last checkpoint before the first nan.",
    "A lower learning rate, and a smaller gradient clip.",
    "bfloat16 or float32 where float16 was used, log-probs and the loss in float32.",
    "A bound on the log-ratio before its exponential.",
  ],
  find(run) {
    const broken = KEYS.filter((each) => run.unknown(each).length > 0);
    // TRL leaves out the KL at a weight of 0, and older releases write nan: that is none of this.
    const [key] = broken;
    if (key === undefined || (key === "kl" && broken.length === 1)) return null;
    const [first = 0] = run.unknown(key);
    const { steps, values } = run.metric("reward");
    const rewards = Array.from(steps, (step, i) => ({ step, reward: values[i]! }));
    const before = rewards.filter(({ step }) => step < first).at(-1);
    const later = rewards.filter(({ step }) => step >= first).at(-1);
    const told =
      before && later
        ? ` The reward was ${measureText(before.reward)} before it and is ${measureText(later.reward)} at step ${later.step}.`
        : later
          ? ` The reward of step ${later.step} is ${measureText(later.reward)}.`
          : "";
    const which = broken.length > 1 ? `${broken.slice(0, -1).join(", ")} and ${broken.at(-1)} are` : `${key} is`;
    return `${which} nan from step ${first} on, in ${run.unknown(key).length} of ${counted(run.log.rows.length, "step")}.${told}`;
  },
};
