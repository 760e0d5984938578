// A loss, a gradient or a KL that is no number any more: what was computed before it still counts, all after it is lost.
import { measureText } from "../../../protocol/quantities.ts";
import { type Signature, valuesOf } from "./signature.ts";

const KEYS = ["loss", "loss/policy", "grad_norm", "kl"] as const;

export const notANumber: Signature = {
  id: "not-a-number",
  title: "The numbers broke off",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["nothing-earned", "reward-flat", "reward-lost", "all-cut-off", "length-to-cap", "kl-runaway", "cut-off"],
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
    const [key] = KEYS.filter((each) => run.unknown(each).length > 0 && valuesOf(run, each).length > 0);
    // TRL leaves out the KL at a weight of 0, and older releases write nan: that is none of this.
    const broken = key === "kl" && KEYS.every((each) => each === "kl" || run.unknown(each).length === 0) ? undefined : key;
    if (broken === undefined) return null;
    const [first] = run.unknown(broken);
    const after = Array.from(run.metric("reward").steps, (step, i) => [step, run.metric("reward").values[i]!] as const);
    const [before, later] = [after.filter(([step]) => step < first!).at(-1), after.filter(([step]) => step > first!).at(-1)];
    const reward =
      before && later ? ` The reward was ${measureText(before[1])} before it and ${measureText(later[1])} at step ${later[0]}.` : "";
    return `${broken} is nan from step ${first} on, in ${run.unknown(broken).length} of ${run.log.rows.length} steps.${reward}`;
  },
};
