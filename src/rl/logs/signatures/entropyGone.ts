// The entropy falls to nearly nothing while the reward stands still. The diagnosis "entropy-collapse" says so more
// carefully where it is known how many answers are right.
import { measureText } from "../../../protocol/quantities.ts";
import { type Signature, thirds, valuesOf } from "./signature.ts";

const FEWEST = 4;
const FIRST = 0.1;
const LEFT = 0.15;
const NOTHING = 0.05;

export const entropyGone: Signature = {
  id: "entropy-gone",
  title: "The entropy is used up",
  kind: "fault",
  cause: "entropy-collapse",
  leadsTo: ["reward-flat", "all-equal", "no-advantage"],
  lesson: "dapo",
  explains:
    "Entropy says how freely tokens are chosen, in nats. Near 0 all answers to a prompt are the same, groups are tied, and nothing better can be found by chance.",
  tries: [
    "A higher upper clip (DAPO's clip-higher), which lets unlikely tokens grow.",
    "A lower learning rate, a temperature of 1, more answers to each prompt.",
    "A KL weight that holds the policy near its start, or an entropy bonus that is kept small.",
    "Go back to a checkpoint where the entropy was not used up.",
  ],
  find(run) {
    const values = valuesOf(run, "entropy");
    const entropy = thirds(values);
    if (values.length < FEWEST || !entropy || entropy.first < FIRST) return null;
    if (entropy.last > LEFT * entropy.first || entropy.last > NOTHING) return null;
    const reward = thirds(valuesOf(run, "reward"));
    return `The entropy fell from ${measureText(entropy.first)} to ${measureText(entropy.last)} nats a token${reward ? `, while the reward went from ${measureText(reward.first)} to ${measureText(reward.last)}` : ""}.`;
  },
};
