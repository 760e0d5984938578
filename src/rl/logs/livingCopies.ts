// A small run of this lab for each thing that is named of a log: it shows the same, in seconds, so that a reader can look inside. Each was
// trained and judged by the same functions, and named the same (test/rl/logs/livingCopies.test.ts). What no preset shows has none.
import type { RunConfigInput } from "../../protocol/config.ts";

export interface LivingCopy {
  /** The preset that it begins with, and what differs from it. */
  readonly preset: string;
  readonly settings: RunConfigInput;
  /** What is done to show it, in a sentence. */
  readonly says: string;
}

const cutOff: LivingCopy = {
  preset: "boxed-arithmetic",
  settings: { maxCompletionTokens: 4, steps: 4, evalEvery: 0 },
  says: "Sums whose answer needs a box, with room for 4 tokens.",
};
const nothingEarned: LivingCopy = {
  preset: "wrong-no-spread",
  settings: { steps: 30 },
  says: "Digits whose sum is out of reach: every answer earns 0.",
};
const sampler: LivingCopy = {
  preset: "boxed-arithmetic",
  settings: { topP: 0.5, steps: 6, evalEvery: 0 },
  says: "Sums that are sampled under a top-p of 0.5 and scored without it.",
};
const hacking: LivingCopy = { preset: "wrong-reward", settings: {}, says: "A reward with the wrong sign: being wrong pays." };
/** GRPO on a table, with nothing but its gradient and one update from each batch. */
const plain: RunConfigInput = { algorithm: "grpo", optimizer: "sgd", maxGradNorm: 0, innerEpochs: 1, minibatches: 1, evalEvery: 0 };

/** By what is named: a diagnosis or a signature. */
export const livingCopies: Readonly<Record<string, LivingCopy>> = {
  "cut-off": cutOff,
  "all-cut-off": cutOff,
  "cut-short": cutOff,
  "nothing-earned": nothingEarned,
  sampler,
  "reward-hacking": hacking,
  "part-for-part": hacking,
  "entropy-collapse": { preset: "wrong-entropy", settings: {}, says: "A negative entropy bonus, which pays for always saying the same." },
  "learning-rate-too-high": { preset: "wrong-learning-rate", settings: {}, says: "A learning rate many times too large." },
  "kl-outweighs": {
    preset: "boxed-arithmetic",
    settings: { klCoef: 10, steps: 12, evalEvery: 0 },
    says: "A KL weight of 10, which holds the policy where it is.",
  },
  "loss-starts-at-zero": {
    preset: "digit-sum-table",
    settings: { ...plain, klCoef: 0.1, learningRate: 4, steps: 16 },
    says: "A table that learns under a KL weight of 0.1, with one update from each batch.",
  },
  "loss-zero-gradient-not": {
    preset: "digit-sum-table",
    settings: { ...plain, klCoef: 0, steps: 10 },
    says: "A table that learns without a KL term, with one update from each batch.",
  },
  "clip-ratio-zero": {
    preset: "digit-sum-table",
    settings: { ...plain, klCoef: 0.1, steps: 10 },
    says: "One update from each batch, with a clip of 0.2.",
  },
  "kl-missing": {
    preset: "digit-sum-table",
    settings: { ...plain, klCoef: 0, steps: 10 },
    says: "A KL weight of 0, for which no reference is kept.",
  },
};
