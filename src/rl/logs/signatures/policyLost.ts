// The policy leaves its reference and loses what it could: the KL grows by orders of magnitude while the reward falls.
import { measureText, roundedSetting, settingNumber } from "../../../protocol/quantities.ts";
import { bestMean, type Signature, thirds, valuesOf } from "./signature.ts";

const FAR = 0.1;
const GROWN = 10;
const FALL = 0.2;
/** Nats a token from which it is lost whatever it earns: at each token another would have been chosen. */
const LOST = 1;

export const policyLost: Signature = {
  id: "policy-lost",
  title: "The policy runs away from its reference",
  kind: "fault",
  cause: "kl-runaway",
  hidesInProgress: true,
  leadsTo: ["reward-flat", "part-for-part", "loss-starts-at-zero", "entropy-away", "cut-short", "reference-apart"],
  lesson: "what-the-kl-is-for",
  explains:
    "The KL says how far the policy is from the model it began as. Here it grows without end while the reward does not follow: updates are longer than the data can carry, and what the model knew is lost. The loss that rises is the KL term, not the cause.",
  tries: [
    "A lower learning rate: a third, or 1e-6 for a full model and 1e-5 for adapters.",
    "A larger weight of the KL term.",
    "More answers to each prompt and more prompts in a step, so that an update is less of chance.",
    "Go back to a checkpoint before the KL jumped, and read its rollouts.",
  ],
  find(run) {
    const kls = valuesOf(run, "kl");
    const kl = thirds(kls);
    const reward = thirds(valuesOf(run, "reward"));
    if (!kl || kl.last < FAR || kl.last < GROWN * kl.first) return null;
    const way = `The KL went from ${measureText(kl.first)} to ${measureText(kl.last)} nats a token, ${measureText(Math.max(...kls))} at most`;
    if (!reward) return kl.last < LOST ? null : `${way}; the log does not say what the reward did meanwhile.`;
    const rewards = valuesOf(run, "reward");
    const best = bestMean(rewards);
    const span = Math.max(...rewards) - Math.min(...rewards);
    if (span === 0 || best - reward.last < Math.max(FALL * span, FALL * Math.abs(best))) return null;
    const rate = run.config.learningRate;
    return `${way}, while the reward fell from ${measureText(best)} at its best to ${measureText(reward.last)}${rate ? `; the learning rate is up to ${settingNumber(roundedSetting(rate))}` : ""}.`;
  },
};
