// Lesson 1: how one number moves ten probabilities. A row of the table policy, one sampled digit, one step.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { Random } from "../../../rl/random.ts";
import { ONE_DIGIT, tableAddress } from "../../experiment/lab/labRun.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { logprobsOf, objectiveOf, probabilitiesOf, rowGradient, settingsOf } from "../../kit/words/engineNumbers.ts";
import { Term } from "../../kit/words/Term.tsx";
import { Bars } from "../figures/Bars.tsx";
import { defineLesson, type Values } from "../lesson/lesson.ts";

const DIGITS = 10;
const SETTINGS = settingsOf("reinforce");
/** A policy that has preferences but no reasons for them. */
const random = new Random(11);
const LOGITS: readonly number[] = Array.from({ length: DIGITS }, () => 0.9 * random.normal());

/** One step of plain gradient descent on a row of logits, from one sampled token. */
export function rowStep(logits: readonly number[], sampled: number, reward: number, learningRate: number) {
  const before = probabilitiesOf(logits);
  const logprobs_K = [logprobsOf(logits)[sampled]!];
  const { gradLogprobs_K } = objectiveOf({ advantages_K: [reward], logprobs_K, oldLogprobs_K: logprobs_K, lengths: [1] }, SETTINGS);
  // What is added to each logit for a learning rate of 1: minus the gradient of the loss.
  const pushes = rowGradient(logits, [sampled], gradLogprobs_K).map((slope) => (slope === 0 ? 0 : -slope));
  const after = probabilitiesOf(logits.map((logit, v) => logit + learningRate * pushes[v]!));
  return { sampled, reward, before, after, pushes };
}

const stateOf = (values: Values) => rowStep(LOGITS, values.sampled!, values.reward!, values.rate!);

/** The token whose probability falls most. */
export function fallsMost({ before, after }: ReturnType<typeof rowStep>): number {
  let worst = 0;
  for (let v = 1; v < before.length; v++) if (after[v]! - before[v]! < after[worst]! - before[worst]!) worst = v;
  return worst;
}

export const policyGradient = defineLesson({
  id: "policy-gradient",
  title: "One number, many probabilities",
  question: "Nobody tells the policy what would have been right. How can a single number, the reward, change the right probabilities?",
  minutes: 5,
  intro: (
    <p>
      The figure is the smallest <Term id="policy">policy</Term> on this page: ten numbers, called logits, one for each digit. A softmax
      turns them into the ten probabilities that you see. The policy samples one digit, somebody hands back a{" "}
      <Term id="reward">reward</Term>, and the logits move a little.
    </p>
  ),
  controls: [
    { id: "sampled", label: "Sampled digit", min: 0, max: 9, step: 1, initial: 6, show: String },
    { id: "reward", label: "Reward", min: -1, max: 1, step: 0.1, initial: 1, show: signedMeasureText },
    { id: "rate", label: "Learning rate", min: 0, max: 3, step: 0.1, initial: 1, show: measureText },
  ],
  state: stateOf,
  figureTitle: "The policy: ten probabilities",
  figure: ({ before, after, pushes, sampled }, { phase, setValue }) => (
    <Bars
      most={Math.max(...before, ...(phase >= 3 ? after : before), 0.4)}
      {...(phase >= 2 ? { mostPush: 1 } : {})}
      picked={sampled}
      {...(phase >= 4 ? { onPick: (digit: number) => setValue("sampled", digit), pickLabel: ({ label }) => `Sample digit ${label}` } : {})}
      bars={Array.from(before, (p, v) => ({
        label: String(v),
        value: phase >= 3 ? after[v]! : p,
        ...(phase >= 3 ? { ghost: p } : {}),
        ...(phase >= 2 ? { push: pushes[v]! } : {}),
      }))}
    />
  ),
  table: ({ before, after, pushes }) => ({
    head: ["digit", "probability", "push on its logit", "probability after"],
    rows: Array.from(before, (p, v) => [String(v), p, signedMeasureText(pushes[v]!), after[v]!]),
  }),
  answerColumns: ["push on its logit", "probability after"],
  prediction: {
    text: (
      <p>
        The policy sampled a 6 (marked in the figure) and gets a reward of +1. After one step, whose probability has <b>fallen</b> most?
      </p>
    ),
    ask: { kind: "token", options: Array.from({ length: DIGITS }, (_, v) => String(v)) },
  },
  judge: (answer, state) => {
    const { before, after, sampled } = state;
    const worst = fallsMost(state);
    const change = (v: number) => `from ${formatNumber(before[v]!)} to ${formatNumber(after[v]!)}`;
    const why = `The logits of the nine others are pushed down, each in proportion to its probability, so the likeliest of them, ${worst}, loses most: ${change(worst)}.`;
    if (answer === worst) return { isRight: true, reason: why };
    const slip =
      answer === sampled
        ? `${sampled} is the one that was sampled, with a positive reward: it rises, ${change(sampled)}.`
        : `${answer} does fall, ${change(answer)}, but others fall further.`;
    return { isRight: false, reason: `${slip} ${why}` };
  },
  phases: [
    {
      title: "Sample",
      text: ({ before, sampled }) => (
        <p>
          The policy drew <b className="mono">{sampled}</b>, which had a probability of{" "}
          <SymbolNumber name="pi">{measureText(before[sampled]!)}</SymbolNumber>. It could have drawn any other digit, as often as its bar
          says (a <Term id="temperature">temperature</Term> of 1). What it did not draw earns nothing: no reward is known for it.
        </p>
      ),
    },
    {
      title: "Score",
      text: ({ reward }) => (
        <p>
          The reward is <SymbolNumber name="reward">{signedMeasureText(reward)}</SymbolNumber>, and that is all that comes back. It is a
          plain number: nothing is differentiated through the rule that made it. A unit test, a person or a coin could have given it.
        </p>
      ),
    },
    {
      title: "Push",
      formula: ({ pushes, sampled, reward }) => ({
        tex: String.raw`\sym{push}{\Delta z_j} \;\propto\; \sym{reward}{R}\,\frac{\partial \log \sym{pi}{\pi(a)}}{\partial z_j} \;=\; \sym{reward}{R}\,\bigl(\mathbf{1}[j = a] - \sym{pi}{\pi(j)}\bigr)`,
        spoken:
          "The push on logit j is proportional to the reward times the derivative of log pi of a by z j, which is R times, one if j is the sampled digit, else zero, minus pi of j",
        symbols: {
          push: `push, ${signedMeasureText(pushes[sampled]!)} on the sampled digit`,
          reward: `reward, ${signedMeasureText(reward)}`,
          pi: "pi, the probability of a digit",
        },
      }),
      text: ({ pushes, before, sampled, reward }) => (
        <>
          <p>
            z<sub>j</sub> is the logit of digit j, a the digit that was sampled, R its reward, π(j) the probability of j; the bracket [j =
            a] is 1 for the sampled digit and 0 for all others. What is differentiated is the policy's own log-probability of what it did.
            For the sampled digit the push on its logit is {signedMeasureText(reward)} · (1 − {measureText(before[sampled]!)}) ={" "}
            <SymbolNumber name="push">{signedMeasureText(pushes[sampled]!)}</SymbolNumber>. Every other digit j gets −{measureText(reward)}{" "}
            · π(j): the likelier it was, the more it gives way.
          </p>
          <p>The ten pushes add up to 0. The arrows in the figure are these numbers, from the trainer's own derivative.</p>
        </>
      ),
    },
    {
      title: "Update",
      text: ({ before, after, sampled }, { rate }) => (
        <>
          <p>
            Each logit moved by its push times the learning rate, {measureText(rate!)} here, and the softmax was taken again. Outlines are
            the probabilities before. The sampled digit went from {measureText(before[sampled]!)} to <b>{measureText(after[sampled]!)}</b>.
          </p>
          <p>
            One sample is luck. But over all that the policy may draw, the mean of R(a) · ∂ log π(a) is Σ π(a) R(a) · ∂ log π(a) = ∂ Σ π(a)
            R(a): the slope of the mean reward. Many small steps climb it.
          </p>
        </>
      ),
    },
  ],
  play: (
    <p>
      Pick the digit that is sampled, in the figure or with the slider, and its reward. What does a reward of −1 do? And of 0? Sample a
      likely digit, then a rare one: the rare one's logit is pushed further, the likely one's probability moves further. With a rare one,
      most bars rise although their arrows point down: a softmax sees only differences between logits, and the likeliest digit is pushed
      down so much further that the others gain.
    </p>
  ),
  transfer: {
    text: "You want to reward answers that pass a test suite. The test runner is a black box: no gradient flows through it. What has to change?",
    options: [
      {
        text: "The test suite must be replaced by a smooth function that can be differentiated.",
        reason:
          "That would be needed if the reward were backpropagated. It is not: look at the formula, R stands in front of the derivative.",
      },
      {
        text: "Nothing. The gradient is that of the policy's log-probability; the reward only scales it.",
        isRight: true,
        reason: "The reward is a factor in front of the gradient of log π. It is never differentiated, so any rule will do.",
      },
      {
        text: "A second network must learn to predict the tests' results, and its gradient is used.",
        reason: "A learned reward model is one way to get a number. A rule that returns the number itself does just as well.",
      },
    ],
  },
  sources: [
    {
      text: "Williams 1992, Simple statistical gradient-following algorithms for connectionist reinforcement learning, theorem 1",
      href: "https://doi.org/10.1007/BF00992696",
    },
    {
      text: "Sutton and Barto 2018, Reinforcement Learning, second edition, equations 13.5 and 13.8",
      href: "http://incompleteideas.net/book/the-book-2nd.html",
    },
  ],
  inLoop: ({ before, after, sampled, reward }, { rate }) => ({
    sampled: `the digit ${sampled}, of probability ${measureText(before[sampled]!)}`,
    judged_P_G: signedMeasureText(reward),
    A: `${signedMeasureText(reward)}, the reward itself`,
    weight: "1, of one token",
    w: "1, as in every first inner epoch",
    push: `${signedMeasureText(-reward)}, and down the slope is up`,
    optimizer: `a step of ${measureText(rate!)} down the slope`,
    update: `π(${sampled}) from ${measureText(before[sampled]!)} to ${measureText(after[sampled]!)}`,
  }),
  train: ({ rate }) => tableAddress({ algorithm: "reinforce", ...ONE_DIGIT, learningRate: rate! }),
});
