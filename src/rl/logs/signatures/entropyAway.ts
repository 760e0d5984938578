// The entropy grows without end: answers become noise.
import { measureText } from "../../../protocol/quantities.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

const TIMES = 2;
const MORE = 0.3;

export const entropyAway: Signature = {
  id: "entropy-away",
  title: "The entropy runs away",
  kind: "fault",
  hidesInProgress: true,
  leadsTo: ["reward-flat", "length-to-cap", "cut-short"],
  lesson: "dapo",
  explains:
    "Entropy says how freely tokens are chosen, in nats. Learning from rewards lowers it. Where it grows, something pays for it: an entropy bonus, whose push has no end, updates that are too long, or unlikely tokens that are pushed up without a bound.",
  tries: [
    "An entropy bonus of 0 (verl: actor.entropy_coeff): nothing in the reward stops a bonus.",
    "A lower learning rate.",
    "A smaller upper clip, and answers that were cut off left out of the loss.",
    "Read answers of the first step at which it rose.",
  ],
  find(run) {
    const entropy = thirds(valuesOf(run, "entropy"));
    if (!entropy || entropy.last < TIMES * entropy.first || entropy.last - entropy.first < MORE) return null;
    const coef = run.config.entropyCoef;
    const reward = thirds(valuesOf(run, "reward"));
    return `The entropy rose from ${measureText(entropy.first)} to ${measureText(entropy.last)} nats a token${coef ? `, under an entropy bonus of ${coef}` : ""}${reward ? `, while the reward went from ${measureText(reward.first)} to ${measureText(reward.last)}` : ""}.`;
  },
};
