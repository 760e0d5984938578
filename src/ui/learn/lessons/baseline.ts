// What subtracting a number from all rewards does. Two hundred gradients of one row, each from a few
// sampled digits, around the gradient that all of them have in expectation.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { Random } from "../../../rl/random.ts";
import { inverseCdf } from "../../../rl/rollout/sampleToken.ts";
import { ONE_DIGIT, tableAddress } from "../../experiment/small/smallRun.ts";
import { probabilitiesOf, pushesOf, rowGradient, settingsOf } from "../../kit/words/engineNumbers.ts";
import { defineLesson } from "../lesson/lesson.tsx";
import type { Values } from "../lesson/parts.ts";

const SETTINGS = settingsOf("reinforce");
const INSTEAD = "This lesson subtracts b where GRPO subtracts centre, and divides by nothing.";
const TARGET = 6;
const ESTIMATES = 200;
/** Each digit's reward: the nearer to 6 the better, as in the digit-sum task; lifted, so that all are well above 0. */
const REWARDS = Array.from({ length: 10 }, (_, v) => 1 + Math.exp(-Math.abs(v - TARGET) / 2));
const draws = new Random(5);
const LOGITS = Array.from({ length: 10 }, () => 0.6 * draws.normal());
const PI = probabilitiesOf(LOGITS);
const EXPECTED = PI.reduce((sum, p, v) => sum + p * REWARDS[v]!, 0);
const NEAR = Math.round(EXPECTED * 20) / 20;
/** The other axis: the likeliest digit that is not the target. */
const RIVAL = LOGITS.reduce((best, logit, v) => (v !== TARGET && (best === TARGET || logit > LOGITS[best]!) ? v : best), TARGET);

/** Minus the gradient of the loss by the row's logits, from these digits. */
function estimate(logits: readonly number[], digits: readonly number[], advantages_K: readonly number[]): Float64Array {
  return rowGradient(logits, digits, pushesOf({ advantages_K, lengths: digits.map(() => 1) }, SETTINGS).pushes_K);
}

/** The expected gradient with a baseline: every digit once, weighed by its probability. */
export function exactGradient(logits: readonly number[], rewards: readonly number[], baseline: number): Float64Array {
  const sum = new Float64Array(logits.length);
  for (const [digit, p] of probabilitiesOf(logits).entries()) {
    const own = estimate(logits, [digit], [rewards[digit]! - baseline]);
    for (let v = 0; v < sum.length; v++) sum[v]! += p * own[v]!;
  }
  return sum;
}

function cloudOf(baseline: number, samples: number) {
  const random = new Random(1);
  const means_V = new Float64Array(PI.length);
  const points = Array.from({ length: ESTIMATES }, () => {
    const digits = Array.from({ length: samples }, () => inverseCdf(PI, random.uniform()));
    const gained = digits.map((digit) => REWARDS[digit]! - baseline);
    const gradient = estimate(LOGITS, digits, gained);
    for (let v = 0; v < means_V.length; v++) means_V[v]! += gradient[v]! / ESTIMATES;
    return [gradient[RIVAL]!, gradient[TARGET]!] as const;
  });
  const squares = points.reduce((sum, [x, y]) => sum + (x - means_V[RIVAL]!) ** 2 + (y - means_V[TARGET]!) ** 2, 0);
  /** Root mean square distance from the mean of the dots. */
  const spread = Math.sqrt(squares / points.length);
  return { points, means_V, spread, onTarget: means_V[TARGET]!, misses: spread / Math.sqrt(ESTIMATES) };
}

const EXACT = exactGradient(LOGITS, REWARDS, 0);
const WITHOUT = cloudOf(0, 4);
const WITH = cloudOf(NEAR, 4);
const SPREADS = `In your 200 estimates the spread fell from ${measureText(WITHOUT.spread)} to ${measureText(WITH.spread)}, around the same cross. The mean of so many dots misses it by about ${measureText(WITHOUT.misses)} before and ${measureText(WITH.misses)} after.`;

function stateOf({ baseline, samples }: Values) {
  const { means_V, ...cloud } = cloudOf(baseline!, samples!);
  const rows = Array.from(PI, (p, v) => ({ digit: String(v), p, reward: REWARDS[v]!, mean: means_V[v]!, exact: EXACT[v]! }));
  return { rows, ...cloud, exact: EXACT[TARGET]! };
}

export const baseline = defineLesson({
  id: "baseline",
  title: "Better than what?",
  question:
    "If every reward is positive, everything the policy tries is pushed up. What changes when we subtract the same number from all of them?",
  minutes: 5,
  intro: `
    Again a policy of ten digits. It prefers other digits than the one before. Each digit has a fixed reward: ${measureText(REWARDS[6]!)} for a 6, ${measureText(REWARDS[5]!)} for its neighbours, and so on down to ${measureText(REWARDS[0]!)} for a 0. Every dot in the figure is one estimate of the gradient, made from four sampled digits. Two of its ten components are drawn: how hard it pushes the logit of 6, and that of ${RIVAL}, the likeliest of the others.

    The cross is the exact gradient, with every digit counted by its probability. A good estimate lies near it. A number that is subtracted from all rewards is called a **baseline**; so far it is 0.`,
  controls: [
    { id: "baseline", label: "Baseline b", min: -1, max: 4, step: 0.05, initial: 0, show: measureText },
    { id: "samples", label: "Digits per estimate", min: 1, max: 96, step: 1, initial: 4, show: String },
  ],
  state: stateOf,
  figureTitle: "200 estimates of one gradient",
  figureHelp:
    "Each dot is one estimate of the gradient from a few sampled digits, in two of its ten directions; the cross is the exact gradient.",
  figure: ({ points }, { phase }) => [
    {
      kind: "plot",
      title: "Gradient estimates",
      x: [-2, 2, `push on ${RIVAL}`],
      y: [-2, 2, "push on 6"],
      dots: [{ name: "one estimate", points, look: "plain" }],
      cross: [EXACT[RIVAL]!, EXACT[TARGET]!],
      crossName: "the exact gradient",
      height: 260,
    },
    `Baseline {baseline@b}${phase >= 0 ? ", spread of the dots **{spread}**" : ""}`,
  ],
  columns: { digit: "digit", probability: "p", reward: "reward", "push, mean of the dots": "mean:+", "push, exact": "exact:+" },
  prediction: {
    question: `
      The policy's average reward is ${measureText(EXPECTED)}. We now subtract about that much, b = ${measureText(NEAR)}, from every reward. What happens to the cloud of dots?
      - [ ] It moves: smaller rewards push less, so its middle comes nearer to 0.
        Subtracting b adds −b times the push of whichever digit is drawn. Averaged over all that may be drawn this is 0; the third phase says why. ${SPREADS} The dots' mean push on 6 is ${signedMeasureText(WITHOUT.onTarget)} before and ${signedMeasureText(WITH.onTarget)} after; the exact one is ${signedMeasureText(EXACT[TARGET]!)}.
      - [x] Its middle stays where it is, and it shrinks.
        ${SPREADS}
      - [ ] Both middle and size stay: only differences between rewards ever mattered.
        That is true of the average, not of four samples. With rewards between 1 and 2, whatever is drawn is pushed up with a weight of at least 1, good or not. That luck is the noise. ${SPREADS}`,
  },
  phases: [
    {
      title: "Without a baseline",
      set: { baseline: 0 },
      loop: { at: ["const centre", "(reward - centre) /"], note: INSTEAD },
      text: "All rewards are positive, so each of the four sampled digits is pushed up, bad ones too. Bad digits sink only because better ones are pushed harder at other times. From few samples that is mostly luck: the dots lie **{spread}** from their middle (root mean square, in the two directions drawn).",
    },
    {
      title: "Subtract the average",
      set: { baseline: NEAR },
      loop: { at: ["const centre", "(reward - centre) /"], note: INSTEAD },
      text: "Now the reward minus {baseline@b} counts: a digit that is worse than usual is pushed down, a better one up. This difference is the [[advantage]]. The spread fell to **{spread}**. The dots' mean push on 6 is {onTarget:+}, the exact one {exact:+}.",
    },
    {
      title: "Why the middle stays",
      loop: {
        at: ["const centre", "gradient_K[k"],
        note: "What centre is does not move the gradient's average, as long as it does not depend on what was drawn.",
      },
      formula: {
        tex: String.raw`\begin{aligned}\mathbb{E}_{a \sim \pi}\bigl[\sym{b}{b}\,\nabla \log \pi(a)\bigr] &= \sym{b}{b} \sum_a \pi(a)\,\frac{\nabla \pi(a)}{\pi(a)} \\ &= \sym{b}{b}\,\nabla \sum_a \pi(a) = \sym{b}{b}\,\nabla 1 = 0\end{aligned}`,
        spoken:
          "The expectation of b times the gradient of log pi is b times the gradient of the sum of all probabilities, which is b times the gradient of one, which is zero",
        symbols: { b: "baseline b, {baseline}" },
      },
      text: "Whatever b is, as long as it does not depend on which digit was drawn, its share of the gradient is 0 on average: pushing all digits up at once cannot raise a sum of probabilities that is always 1. So a baseline leaves the optimum alone and only changes the noise.",
    },
    {
      title: "A bad baseline",
      set: { baseline: 4 },
      loop: { at: ["const centre", "(reward - centre) /"], note: INSTEAD },
      text: "With b = 4 every reward lies far below the baseline, so whatever is sampled is pushed down. The cross has not moved ({exact:+} on 6). More dots would have their middle on it; these 200 have theirs at {onTarget:+}, because the spread is **{spread}**, more than without any baseline. A baseline helps where it is near the reward that is to be expected. The very best one lies a little beside it, since digits that push harder count for more.",
    },
  ],
  play: "Find the baseline with the smallest spread. Then set it back to 0 and raise the number of digits per estimate until the cloud is as small: that is how many samples the baseline is worth.",
  transfer: `
    A colleague adds +10 to every reward of a task, because the values looked small. Her algorithm subtracts the mean reward of each batch. What changes?
    - [ ] Learning gets faster, since rewards are larger.
      Only the difference from the baseline pushes, and that is unchanged.
    - [ ] The policy now prefers other answers.
      A constant added to all rewards changes no ranking, and by the formula above not even the average gradient.
    - [x] Practically nothing: the mean rises by 10 too, and the differences stay.
      The baseline takes out whatever all rewards have in common. Without a baseline, the +10 would have added a lot of noise.`,
  sources: [
    "[Williams 1992, Simple statistical gradient-following algorithms (reinforcement baselines)](https://doi.org/10.1007/BF00992696)",
    "[Sutton and Barto 2018, Reinforcement Learning, second edition, equations 13.10 and 13.11](http://incompleteideas.net/book/the-book-2nd.html)",
  ],
  inLoop: {
    rewards_G: `between ${measureText(Math.min(...REWARDS))} and ${measureText(Math.max(...REWARDS))}`,
    centre: "b = {baseline}",
    std: "1 here: nothing is divided",
    gradient_K: "the dots, {spread} from their middle",
  },
  train: () => tableAddress({ algorithm: "reinforce", ...ONE_DIGIT }),
});
