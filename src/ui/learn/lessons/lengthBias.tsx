// Lesson 7: two divisions of GRPO and what they favour. Four answers, short and long, right and wrong; how hard each of
// their tokens is pushed, by the trainer's own objective under three algorithms.
import { measureText, shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { advantagesOf, objectiveOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { Term } from "../../kit/words/Term.tsx";
import { SignedRows } from "../figures/SignedRows.tsx";
import { choiceControl, defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";

const ALGORITHMS = ["grpo", "dapo", "dr-grpo"] as const;
const NAMES = ["GRPO", "DAPO", "Dr. GRPO"];
/** Only how a loss is averaged and an advantage scaled is compared here. */
const SAME = { klCoef: 0, innerEpochs: 1, maxCompletionTokens: 40 } as const;

/** Advantages of answers of these lengths and rewards, and the push on each of their tokens: minus the derivative of the loss. */
export function tokenPushes(algorithm: string, rewards: readonly number[], lengths: readonly number[]) {
  const settings = settingsOf(algorithm, SAME);
  const { advantages_Q, advantages_K } = advantagesOf({ rewards, lengths }, settings);
  const zeros = new Float64Array(advantages_K.length);
  const { gradLogprobs_K } = objectiveOf({ advantages_K, logprobs_K: zeros, oldLogprobs_K: zeros, lengths }, settings);
  let k = 0;
  return lengths.map((length, q) => {
    const push = -gradLogprobs_K[k]!;
    k += length;
    return { advantage: advantages_Q[q]!, push };
  });
}

const SHORT = 4;
const KINDS = ["short, right", "long, right", "short, wrong", "long, wrong"];

/** Advantages without their signs, added up over a group of eight of which so many are right. */
function weightOfGroup(algorithm: string, right: number): number {
  const rewards = Array.from({ length: 8 }, (_, g) => (g < right ? 1 : 0));
  return tokenPushes(algorithm, rewards, Array(8).fill(SHORT)).reduce((sum, { advantage }) => sum + Math.abs(advantage), 0);
}

function stateOf({ algorithm, long, right }: Values) {
  const id = ALGORITHMS[algorithm!]!;
  // Eight answers; those that are right stand first, and both kinds have short and long ones.
  const rewards = Array.from({ length: 8 }, (_, g) => (g < right! ? 1 : 0));
  const lengths = rewards.map((_, g) => (g % 2 === 0 ? SHORT : long!));
  const pushes = tokenPushes(id, rewards, lengths);
  const answers = rewards.map((reward, g) => ({
    name: `${lengths[g] === SHORT ? "short" : "long"}, ${reward === 1 ? "right" : "wrong"}`,
    length: lengths[g]!,
    reward,
    ...pushes[g]!,
  }));
  // Of answers that are alike one is shown, always in the same order.
  return {
    algorithm: NAMES[algorithm!]!,
    answers: KINDS.flatMap((kind) => answers.find(({ name }) => name === kind) ?? []),
  };
}

type LengthState = ReturnType<typeof stateOf>;

const find = ({ answers }: LengthState, name: string) => answers.find((answer) => answer.name === name);
const pushOf = (state: LengthState, name: string) => find(state, name)?.push ?? Number.NaN;

export const lengthBias = defineLesson({
  id: "length-bias",
  title: "What the divisions favour",
  question: "GRPO divides by the length of each answer and by the spread of its group. Both look harmless. What do they favour?",
  minutes: 6,
  intro: (
    <p>
      One <Term id="group">group</Term> of eight answers: four are right and four wrong, and of either kind two have 4 tokens and two 12,
      which makes 64 tokens in all. Of answers that are alike the figure shows one: its advantage at first, and once you have predicted, how
      hard <b>each token</b> is pushed. A push is minus the derivative of the trainer's loss by the token's log-probability.
    </p>
  ),
  controls: [
    choiceControl("algorithm", "Algorithm", NAMES),
    { id: "long", label: "Tokens of a long answer", min: 4, max: 40, step: 1, initial: 12, show: String },
    { id: "right", label: "Right answers of 8", min: 1, max: 7, step: 1, initial: 4, show: String },
  ],
  state: stateOf,
  figureTitle: "Four kinds of answers in one group",
  figure: ({ algorithm, answers }, { phase }) => (
    <>
      <p>
        Under <b>{algorithm}</b>
      </p>
      <SignedRows
        head={phase < 0 ? "advantage of the answer" : "push on each of its tokens"}
        most={phase < 0 ? 2 : 0.04}
        rows={answers.map(({ name, length, advantage, push }) => ({
          key: name,
          label: (
            <>
              {name} <Tiles count={length} />
            </>
          ),
          value: phase < 0 ? advantage : push,
        }))}
      />
    </>
  ),
  table: ({ answers }) => ({
    head: ["answer", "tokens", "reward", "advantage", "push on each token", "push on the whole answer"],
    rows: answers.map(({ name, length, reward, advantage, push }) => [
      name,
      String(length),
      reward,
      signedMeasureText(advantage),
      formatNumber(push),
      formatNumber(push * length),
    ]),
  }),
  answerColumns: ["push on each token", "push on the whole answer"],
  prediction: {
    text: (
      <p>
        Under GRPO, two wrong answers of this group: one of 4 tokens, one of 12. They have the same <Term id="advantage">advantage</Term>.
        Whose tokens are each pushed down harder?
      </p>
    ),
    ask: oneOf([
      "Those of the long answer: there is more wrong with it.",
      "All alike: the advantage is the same.",
      "Those of the short answer.",
    ]),
  },
  judge: (answer, state) => {
    const [short, long] = [pushOf(state, "short, wrong"), pushOf(state, "long, wrong")];
    const numbers = `Each token of the long one gets ${signedMeasureText(long)}, each of the short one ${signedMeasureText(short)}, ${measureText(short / long)} times as much.`;
    const reasons = [
      "Every answer has the same total push, since GRPO averages over its tokens. A long answer spreads it thinner.",
      "The advantage is the same, but GRPO then divides by the number of tokens: each answer shares out the same total.",
      "GRPO first averages over the tokens of an answer, so every answer has the same total push and shares it among its tokens.",
    ];
    return verdictOn(answer, 2, reasons, numbers);
  },
  phases: [
    {
      title: "One over the length",
      formula: (state) => ({
        tex: String.raw`\frac{1}{G} \sum_{i=1}^{G} \sym{len}{\frac{1}{|o_i|}} \sum_{t=1}^{|o_i|} \min(\dots)\qquad \frac{1}{8} \cdot \sym{len}{\frac{1}{12}} \cdot (${measureText(find(state, "long, wrong")?.advantage ?? 0).replace("−", "-")}) = \sym{push}{${measureText(pushOf(state, "long, wrong")).replace("−", "-")}}`,
        spoken: "One over G, sum over the answers, one over the length of the answer, sum over its tokens of the clipped objective",
        symbols: {
          len: "one over the number of tokens",
          push: `push on a token of the long wrong answer, ${signedMeasureText(pushOf(state, "long, wrong"))}`,
        },
      }),
      text: (state) => (
        <p>
          |o<sub>i</sub>| is the number of tokens of answer i, min(…) the clipped objective of the lesson on the ratio. Among <i>wrong</i>{" "}
          answers the long one is let off lightly:{" "}
          <SymbolNumber name="push">{signedMeasureText(pushOf(state, "long, wrong"))}</SymbolNumber> per token against{" "}
          {signedMeasureText(pushOf(state, "short, wrong"))}. Each token is a decision of its own, also the one to go on instead of ending:
          in a long wrong answer all of them are discouraged less, so long wrong answers stay likelier than short ones. Among <i>right</i>{" "}
          answers it is the short one whose decisions gain most. A growing length of wrong answers can look like deeper thought and be this.
        </p>
      ),
    },
    {
      title: "All tokens alike: DAPO",
      set: { algorithm: 1 },
      text: (state) => (
        <p>
          DAPO averages over all tokens of the batch at once. Every token of a wrong answer now gets{" "}
          {signedMeasureText(find(state, "long, wrong")?.advantage ?? Number.NaN)} / 64 = {signedMeasureText(pushOf(state, "long, wrong"))},
          in a long answer as in a short one. A long answer as a whole counts more.
        </p>
      ),
    },
    {
      title: "A constant: Dr. GRPO",
      set: { algorithm: 2 },
      text: (state) => (
        <p>
          Dr. GRPO divides by a constant, the length limit, here 40, whatever else is in the batch. It also drops the division by the
          standard deviation, so that the advantage is {signedMeasureText(find(state, "long, wrong")?.advantage ?? Number.NaN)}, the reward
          minus the mean. With eight answers each token gets {signedMeasureText(find(state, "long, wrong")?.advantage ?? Number.NaN)} / (8 ·
          40) = {formatNumber(pushOf(state, "long, wrong"), 2)}.
        </p>
      ),
    },
    {
      title: "One over the spread",
      set: { algorithm: 0, right: 1 },
      text: (state) => (
        <p>
          GRPO again, now with one right answer of eight. Dividing by the small spread makes its advantage{" "}
          {signedMeasureText(find(state, "short, right")?.advantage ?? Number.NaN)}; with 4 of 8 right it was{" "}
          {signedMeasureText(tokenPushes("grpo", [1, 1, 1, 1, 0, 0, 0, 0], Array(8).fill(SHORT))[0]!.advantage)}. Add up the eight
          advantages without their signs: {measureText(weightOfGroup("grpo", 1))} for this group, {measureText(weightOfGroup("grpo", 4))}{" "}
          for one of 4 right. Without the division it is {measureText(weightOfGroup("dr-grpo", 1))} and{" "}
          {measureText(weightOfGroup("dr-grpo", 4))}. So prompts that are nearly always wrong, or nearly always right, count{" "}
          {shareText(weightOfGroup("grpo", 1) / weightOfGroup("grpo", 4))} of one in the middle instead of{" "}
          {shareText(weightOfGroup("dr-grpo", 1) / weightOfGroup("dr-grpo", 4))}: the division favours them.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Make the long answers 40 tokens long and go through the three algorithms. Where does it matter to a token whether its answer is a long
      or a short one?
    </p>
  ),
  transfer: {
    text: "In a GRPO run the mean length of wrong answers doubles over a day while accuracy stays the same. Which change would you test first?",
    options: [
      {
        text: "Average over tokens of the batch (DAPO) or divide by a constant (Dr. GRPO).",
        isRight: true,
        reason: "With 1/|o| long wrong answers are punished least per token, which makes wrong answers grow. Both variants take that away.",
      },
      {
        text: "None: longer answers mean that the model reasons more.",
        reason: "Accuracy did not rise. Under GRPO's averaging, wrong answers grow longer by themselves.",
      },
      { text: "A larger group size.", reason: "That gives better baselines and fewer dead groups; the division by length stays." },
    ],
  },
  sources: [
    { text: "Liu et al. 2025, Understanding R1-Zero-Like Training (Dr. GRPO), section 3", href: "https://arxiv.org/abs/2503.20783" },
    { text: "Yu et al. 2025, DAPO, section 3.3 (token-level loss)", href: "https://arxiv.org/abs/2503.14476" },
    { text: "Shao et al. 2024, DeepSeekMath, equation 3", href: "https://arxiv.org/abs/2402.03300" },
  ],
  inLoop: (state) => ({
    Q: "8",
    A: state.answers.map(({ name, advantage }) => `${name} ${signedMeasureText(advantage)}`).join("; "),
    weight: state.answers.map(({ name, push, advantage }) => `${name} ${measureText(push / advantage)}`).join("; "),
    push: state.answers.map(({ name, push }) => `${name} ${signedMeasureText(-push)}`).join("; "),
    reward: state.answers.map(({ name, reward, advantage }) => `${name} ${reward}, so ${signedMeasureText(advantage)}`).join("; "),
  }),
  train: ({ algorithm }) => ({ preset: "boxed-arithmetic", algorithm: ALGORITHMS[algorithm!]! }),
});

/** An answer's tokens, as so many tiles. */
function Tiles({ count }: { readonly count: number }) {
  return (
    <span className="tiles" role="img" aria-label={`${count} tokens`}>
      {Array.from({ length: count }, (_, t) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: tiles are all alike
        <i key={t} />
      ))}
    </span>
  );
}
