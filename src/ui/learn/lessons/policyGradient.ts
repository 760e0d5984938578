// How one number moves ten probabilities. A row of the table policy, one sampled digit, one step.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { Random } from "../../../rl/random.ts";
import { ONE_DIGIT, tableAddress } from "../../experiment/small/smallRun.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { probabilitiesOf, pushesOf, rowGradient, settingsOf } from "../../kit/words/engineNumbers.ts";
import { defineLesson } from "../lesson/lesson.tsx";
import type { Values } from "../lesson/parts.ts";

const DIGITS = 10;
const SETTINGS = settingsOf("reinforce");
/** A policy that has preferences but no reasons for them. */
const random = new Random(11);
const LOGITS: readonly number[] = Array.from({ length: DIGITS }, () => 0.9 * random.normal());

/** One step of plain gradient descent on a row of logits, from one sampled token. */
export function rowStep(logits: readonly number[], sampled: number, reward: number, learningRate: number) {
  const before = probabilitiesOf(logits);
  const { pushes_K } = pushesOf({ advantages_K: [reward], lengths: [1] }, SETTINGS);
  // What is added to each logit for a learning rate of 1; a push that is 0 has no sign.
  const pushes = rowGradient(logits, [sampled], pushes_K).map((push) => push + 0);
  const after = probabilitiesOf(logits.map((logit, v) => logit + learningRate * pushes[v]!));
  return { before, after, pushes };
}

/** The token whose probability falls most. */
export function fallsMost({ before, after }: ReturnType<typeof rowStep>): number {
  const falls = Array.from(before, (p, v) => p - after[v]!);
  return falls.indexOf(Math.max(...falls));
}

function stateOf({ sampled, reward, rate }: Values) {
  const step = rowStep(LOGITS, sampled!, reward!, rate!);
  const rows = Array.from(step.before, (before, v) => ({ digit: String(v), before, push: step.pushes[v]!, after: step.after[v]! }));
  return { rows, chosen: rows[sampled!]!, slope: -reward!, worst: fallsMost(step) };
}

export const policyGradient = defineLesson({
  id: "policy-gradient",
  title: "One number, many probabilities",
  question: "Nobody tells the policy what would have been right. How can a single number, the reward, change the right probabilities?",
  minutes: 5,
  intro:
    "The figure is the smallest [[policy]] on this page: ten numbers, called logits, one for each digit. A softmax turns them into the ten probabilities that you see. The policy samples one digit, somebody hands back a [[reward]], and the logits move a little.",
  controls: [
    { id: "sampled", label: "Sampled digit", min: 0, max: 9, step: 1, initial: 6, show: String },
    { id: "reward", label: "Reward", min: -1, max: 1, step: 0.1, initial: 1, show: signedMeasureText },
    { id: "rate", label: "Learning rate", min: 0, max: 3, step: 0.1, initial: 1, show: measureText },
  ],
  state: stateOf,
  figureTitle: "The policy: ten probabilities",
  figureHelp: "How likely each digit is. Arrows are the pushes on its logit; outlines show the probabilities before the update.",
  figure: ({ rows }, { phase, values }) => [
    {
      kind: "bars",
      rows,
      label: "digit",
      value: phase >= 3 ? "after" : "before",
      before: phase >= 3 ? "before" : undefined,
      push: phase >= 2 ? "push" : undefined,
      most: Math.max(...rows.flatMap(({ before, after }) => (phase >= 3 ? [before, after] : before)), 0.4),
      picked: values.sampled!,
      picks: phase >= 4 ? { control: "sampled", does: "Sample digit" } : undefined,
    },
  ],
  columns: { digit: "digit", probability: "before", "push on its logit": "push:+", "probability after": "after" },
  answerColumns: ["push on its logit", "probability after"],
  prediction: {
    question:
      "The policy sampled a 6 (marked in the figure) and gets a reward of +1. After one step, whose probability has **fallen** most?",
    ask: { kind: "token", options: Array.from({ length: DIGITS }, (_, v) => String(v)) },
    judge: (answer, { rows, worst, chosen }) => {
      const change = (v: number) => `from ${formatNumber(rows[v]!.before)} to ${formatNumber(rows[v]!.after)}`;
      const why = `The logits of the nine others are pushed down, each in proportion to its probability, so the likeliest of them, ${worst}, loses most: ${change(worst)}.`;
      if (answer === worst) return { isRight: true, reason: why };
      const slip =
        String(answer) === chosen.digit
          ? `${answer} is the one that was sampled, with a positive reward: it rises, ${change(answer)}.`
          : `${answer} does fall, ${change(answer)}, but others fall further.`;
      return { isRight: false, reason: `${slip} ${why}` };
    },
  },
  phases: [
    {
      title: "Sample",
      loop: { at: ["const sampled"] },
      text: "The policy drew **`{chosen.digit}`**, which had a probability of {chosen.before@pi}. It could have drawn any other digit, as often as its bar says (a [[temperature]] of 1). What it did not draw earns nothing: no reward is known for it.",
    },
    {
      title: "Score",
      loop: { at: ["const judged_P_G"] },
      text: "The reward is {reward:+@reward}, and that is all that comes back. It is a plain number: nothing is differentiated through the rule that made it. A unit test, a person or a coin could have given it.",
    },
    {
      title: "Push",
      loop: { at: ["const push"], note: "REINFORCE has the reward itself where GRPO has A." },
      formula: {
        tex: String.raw`\sym{push}{\Delta z_j} \;\propto\; \sym{reward}{R}\,\frac{\partial \log \sym{pi}{\pi(a)}}{\partial z_j} \;=\; \sym{reward}{R}\,\bigl(\mathbf{1}[j = a] - \sym{pi}{\pi(j)}\bigr)`,
        spoken:
          "The push on logit j is proportional to the reward times the derivative of log pi of a by z j, which is R times, one if j is the sampled digit, else zero, minus pi of j",
        symbols: { push: "push, {chosen.push:+} on the sampled digit", reward: "reward, {reward:+}", pi: "pi, the probability of a digit" },
      },
      text: `
        z_{j} is the logit of digit j, a the digit that was sampled, R its reward, π(j) the probability of j; the bracket [j = a] is 1 for the sampled digit and 0 for all others. What is differentiated is the policy's own log-probability of what it did. For the sampled digit the push on its logit is {reward:+} · (1 − {chosen.before}) = {chosen.push:+@push}. Every other digit j gets −{reward} · π(j): the likelier it was, the more it gives way.

        The ten pushes add up to 0. The arrows in the figure are these numbers, from the trainer's own derivative.`,
    },
    {
      title: "Update",
      loop: { at: ["const update"] },
      text: `
        Each logit moved by its push times the learning rate, {rate} here, and the softmax was taken again. Outlines are the probabilities before. The sampled digit went from {chosen.before} to **{chosen.after}**.

        One sample is luck. But over all that the policy may draw, the mean of R(a) · ∂ log π(a) is Σ π(a) R(a) · ∂ log π(a) = ∂ Σ π(a) R(a): the slope of the mean reward. Many small steps climb it.`,
    },
  ],
  play: "Pick the digit that is sampled, in the figure or with the slider, and its reward. What does a reward of −1 do? And of 0? Sample a likely digit, then a rare one: the rare one's logit is pushed further, the likely one's probability moves further. With a rare one, most bars rise although their arrows point down: a softmax sees only differences between logits, and the likeliest digit is pushed down so much further that the others gain.",
  transfer: `
    You want to reward answers that pass a test suite. The test runner is a black box: no gradient flows through it. What has to change?
    - [ ] The test suite must be replaced by a smooth function that can be differentiated.
      That would be needed if the reward were backpropagated. It is not: look at the formula, R stands in front of the derivative.
    - [x] Nothing. The gradient is that of the policy's log-probability; the reward only scales it.
      The reward is a factor in front of the gradient of log π. It is never differentiated, so any rule will do.
    - [ ] A second network must learn to predict the tests' results, and its gradient is used.
      A learned reward model is one way to get a number. A rule that returns the number itself does just as well.`,
  sources: [
    "[Williams 1992, Simple statistical gradient-following algorithms for connectionist reinforcement learning, theorem 1](https://doi.org/10.1007/BF00992696)",
    "[Sutton and Barto 2018, Reinforcement Learning, second edition, equations 13.5 and 13.8](http://incompleteideas.net/book/the-book-2nd.html)",
  ],
  inLoop: {
    sampled: "the digit {chosen.digit}, of probability {chosen.before}",
    judged_P_G: "{reward:+}",
    A: "{reward:+}, the reward itself",
    weight: "1, of one token",
    w: "1, as in every first inner epoch",
    push: "{slope:+}, and down the slope is up",
    optimizer: "a step of {rate} down the slope",
    update: "π({chosen.digit}) from {chosen.before} to {chosen.after}",
  },
  train: ({ rate }) => tableAddress({ algorithm: "reinforce", ...ONE_DIGIT, learningRate: rate! }),
});
