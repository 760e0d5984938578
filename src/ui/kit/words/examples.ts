// A small example for the words that one teaches: one or two controls, and what the trainer's own functions make of
// them. Loads when a word is pressed.
import { measureText, shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import { passAtK, wilsonInterval } from "../../../rl/accuracy.ts";
import { noSpreadChance, summarize } from "../../../rl/advantage/statistics.ts";
import { klValue } from "../../../rl/kl/index.ts";
import { logSoftmaxTable } from "../../../rl/logitsTable.ts";
import { mostLikelyToken } from "../../../rl/rollout/sampleToken.ts";
import { advantagesOf, logprobsOf, probabilitiesOf, pushesOf, settingsOf } from "./engineNumbers.ts";
import type { TermId } from "./glossary.ts";

export interface ExampleControl {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly step: number;
  readonly initial: number;
  readonly show: (value: number) => string;
}

/** One number of the result, with a bar where it is a share. */
export interface ExampleRow {
  readonly label: string;
  readonly text: string;
  readonly share?: number;
}

export interface WordExample {
  readonly controls: readonly ExampleControl[];
  /** @param values what the controls stand at, in their order. */
  readonly rows: (...values: number[]) => readonly ExampleRow[];
}

const amount = (label: string, min: number, max: number, initial: number): ExampleControl => ({
  label,
  min,
  max,
  initial,
  step: 1,
  show: String,
});
const share = (label: string, initial: number, [min, max]: readonly [number, number] = [0.01, 0.99]): ExampleControl => ({
  label,
  min,
  max,
  initial,
  step: 0.01,
  show: shareText,
});
const measure = (label: string, [min, max]: readonly [number, number], step: number, initial: number): ExampleControl => ({
  label,
  min,
  max,
  step,
  initial,
  show: min < 0 ? signedMeasureText : measureText,
});

const G = 8;
const RIGHT = amount(`right answers of ${G}, reward 1`, 0, G, 2);

/** Rewards of a group with so many right answers, and what they are under changed settings of GRPO. */
function compared(right: number, changes: Parameters<typeof settingsOf>[1]): readonly ExampleRow[] {
  const rewards = Array.from({ length: G }, (_, g) => (g < right ? 1 : 0));
  const { advantages_Q } = advantagesOf({ rewards, lengths: rewards.map(() => 1) }, settingsOf("grpo", changes));
  if (right === 0 || right === G) return [{ label: "each of them, as all earned the same", text: measureText(advantages_Q[0]!) }];
  return [
    { label: "each right answer", text: signedMeasureText(advantages_Q[0]!) },
    { label: "each wrong answer", text: signedMeasureText(advantages_Q[G - 1]!) },
  ];
}

function spreadOf(right: number) {
  return summarize(
    Array.from({ length: G }, (_, g) => (g < right ? 1 : 0)),
    "sample",
  );
}

/** Tokens of equal answers under GRPO without a KL: minus the derivative of the loss by one's log-probability. */
function pushOf(answers: number, tokens: number, advantage: number, ratio = 1) {
  const K = answers * tokens;
  const lengths = Array.from({ length: answers }, () => tokens);
  const all = { advantages_K: new Float64Array(K).fill(advantage), ratios_K: new Float64Array(K).fill(ratio), lengths };
  const { pushes_K, isHeld_K } = pushesOf(all, settingsOf("grpo", { klCoef: 0, clipLow: 0.2, clipHigh: 0.2 }));
  return { push: pushes_K[0]!, isHeld: isHeld_K[0]! };
}

const LOGITS = Float64Array.of(2, 1, 0.5, -1);
const TEMPERATURE = measure("temperature", [0.2, 3], 0.1, 1);
const heated = (temperature: number) => logSoftmaxTable(LOGITS, 1, LOGITS.length, temperature);

/** One right answer and two wrong ones that share the rest. */
const CHANCE = share("probability of the right answer", 0.45);
function accuracies(p: number): readonly ExampleRow[] {
  const isGreedy = mostLikelyToken([p, 0.6 * (1 - p), 0.4 * (1 - p)]) === 0 ? 1 : 0;
  return [
    {
      label: `greedy (the wrong ones have ${shareText(0.6 * (1 - p))} and ${shareText(0.4 * (1 - p))})`,
      text: shareText(isGreedy),
      share: isGreedy,
    },
    { label: "sampled", text: shareText(p), share: p },
  ];
}

const probabilities: WordExample = {
  controls: [TEMPERATURE],
  rows: (temperature) =>
    Array.from(heated(temperature!).logprobs_TV, (logprob, v) => ({
      label: `token ${"abcd"[v]}, logit ${measureText(LOGITS[v]!)}`,
      text: shareText(Math.exp(logprob)),
      share: Math.exp(logprob),
    })),
};

/** How many groups of a size teach. */
const tiedGroups: WordExample = {
  controls: [amount("completions of a prompt", 2, 32, 8), share("chance of a right one", 0.1)],
  rows: (size, p) => [
    {
      label: "groups with right and wrong ones, which teach",
      text: shareText(1 - noSpreadChance(p!, size!)),
      share: 1 - noSpreadChance(p!, size!),
    },
  ],
};

export const WORD_EXAMPLES: Partial<Readonly<Record<TermId, WordExample>>> = {
  "tied-group": tiedGroups,
  "pass-rate": tiedGroups,
  group: tiedGroups,
  baseline: {
    controls: [RIGHT],
    rows: (right) => [
      { label: "baseline, the mean reward", text: measureText(spreadOf(right!).mean) },
      ...compared(right!, { advantageScale: "none" }),
    ],
  },
  advantage: { controls: [RIGHT], rows: (right) => compared(right!, {}) },
  spread: { controls: [RIGHT], rows: (right) => [{ label: "standard deviation", text: measureText(spreadOf(right!).std) }] },
  logprob: {
    controls: [share("probability", 0.5)],
    rows: (p) => [{ label: "log p", text: measureText(logprobsOf([Math.log(p!), Math.log(1 - p!)])[0]!) }],
  },
  change: {
    controls: [share("probability when sampled", 0.3, [0.01, 0.36]), measure("Δ log p", [-1, 1], 0.05, 0.1)],
    rows: (p, change) => [
      { label: "probability after the update", text: shareText(p! * Math.exp(change!)), share: p! * Math.exp(change!) },
    ],
  },
  ratio: {
    controls: [share("probability when sampled", 0.2), share("probability in the last inner epoch", 0.3)],
    rows: (before, after) => [{ label: "ρ", text: measureText(Math.exp(Math.log(after!) - Math.log(before!))) }],
  },
  clip: {
    controls: [measure("ratio ρ", [0.5, 1.5], 0.05, 1.3), { ...measure("advantage", [-1, 1], 2, 1) }],
    rows: (ratio, advantage) => {
      const { push, isHeld } = pushOf(1, 1, advantage!, ratio!);
      return [{ label: "push left, for a clip range of 0.2", text: isHeld ? "0, clipped" : signedMeasureText(push) }];
    },
  },
  push: {
    controls: [measure("advantage", [-2, 2], 0.1, 1), amount("tokens of each answer", 1, 20, 4)],
    rows: (advantage, tokens) => [
      { label: `push on a token, ${G} answers, ratio 1`, text: signedMeasureText(pushOf(G, tokens!, advantage!).push) },
    ],
  },
  weight: {
    controls: [amount("answers", 1, 32, 8), amount("tokens of each", 1, 40, 4)],
    rows: (answers, tokens) => [{ label: "share of one token", text: measureText(pushOf(answers!, tokens!, 1).push) }],
  },
  temperature: probabilities,
  entropy: {
    controls: [TEMPERATURE],
    rows: (temperature) => [
      { label: "entropy, of at most 1.386 for four tokens", text: measureText(heated(temperature!).entropies_T[0]!) },
      ...probabilities.rows(temperature!),
    ],
  },
  kl: {
    controls: [measure("how far the policy has moved", [0, 3], 0.1, 1)],
    rows: (move) => {
      const logits = LOGITS.map((logit, v) => logit + (v === 2 ? move! : 0));
      const logprobs = logprobsOf(logits);
      const refLogprobs = logprobsOf(LOGITS);
      const kl = probabilitiesOf(logits).reduce((sum, p, v) => sum + p * klValue("k3", logprobs[v]!, refLogprobs[v]!), 0);
      const before = Math.exp(refLogprobs[2]!);
      return [
        { label: "token c in the reference", text: shareText(before), share: before },
        { label: "token c in the policy", text: shareText(Math.exp(logprobs[2]!)), share: Math.exp(logprobs[2]!) },
        { label: "KL, nats", text: measureText(Math.max(0, kl)) },
      ];
    },
  },
  greedy: { controls: [CHANCE], rows: (p) => accuracies(p!) },
  sampled: { controls: [CHANCE], rows: (p) => accuracies(p!) },
  "pass-at-k": {
    controls: [amount("right of 16 samples", 0, 16, 2), amount("k", 1, 16, 4)],
    rows: (right, k) => [
      { label: "chance that one of k is right", text: shareText(passAtK(16, right!, k!)), share: passAtK(16, right!, k!) },
    ],
  },
  interval: {
    controls: [amount("problems", 4, 200, 20), share("share solved", 0.5, [0, 1])],
    rows: (problems, solved) => {
      const [low, high] = wilsonInterval(Math.round(problems! * solved!), problems!);
      return [{ label: "the true share lies between", text: `${shareText(low)} and ${shareText(high)}` }];
    },
  },
};
