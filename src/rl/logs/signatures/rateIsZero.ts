// The learning rate is 0 in every step: nothing is learnt, whatever the rewards say.
import { inSteps, type Signature, valuesOf } from "./signature.ts";

const FEWEST = 3;

/** Whether the log prints more than three decimals: where it does not, a rate of 1e-6 reads 0.000. */
const isPrecise = (values: readonly number[]): boolean => values.some((value) => Math.abs(value * 1000 - Math.round(value * 1000)) > 1e-9);

export const rateIsZero: Signature = {
  id: "rate-is-zero",
  title: "The learning rate is 0",
  kind: "fault",
  leadsTo: ["reward-flat", "kl-zero", "clip-ratio-zero", "loss-starts-at-zero", "loss-zero-gradient-not"],
  lesson: "policy-gradient",
  explains:
    "An update is the gradient times the learning rate. A schedule that has run out, a warm-up that is longer than the run, or a rate that was read as 0 leave every weight where it is.",
  tries: [
    "Look at the schedule: how many steps does it count on, and how many are warm-up?",
    "A run that was resumed after its planned end has a rate of 0: plan more steps.",
  ],
  find(run) {
    const rates = valuesOf(run, "learning_rate");
    const others = ["grad_norm", "loss", "reward", "kl"].flatMap((key) => valuesOf(run, key));
    if (rates.length < FEWEST || rates.some((rate) => rate !== 0) || !isPrecise(others)) return null;
    return `${inSteps(rates.length, rates.length)} the learning rate is 0.`;
  },
};
