// Two divisions of GRPO and what they favour. Four answers, short and long, right and wrong; how hard each of
// their tokens is pushed, by the trainer's own objective under three algorithms.
import { measureText, shareText, signedMeasureText } from "../../../protocol/quantities.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { advantagesOf, pushesOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const ALGORITHMS = ["grpo", "dapo", "dr-grpo"] as const;
const NAMES = ["GRPO", "DAPO", "Dr. GRPO"];
/** Only how a loss is averaged and an advantage scaled is compared here. */
const SAME = { klCoef: 0, innerEpochs: 1, maxCompletionTokens: 40 } as const;

/** Advantages of answers of these lengths and rewards, and the push on each of their tokens: minus the derivative of the loss. */
export function tokenPushes(algorithm: string, rewards: readonly number[], lengths: readonly number[]) {
  const settings = settingsOf(algorithm, SAME);
  const { advantages_Q, advantages_K } = advantagesOf({ rewards, lengths }, settings);
  const { pushes_K } = pushesOf({ advantages_K, lengths }, settings);
  let k = 0;
  return lengths.map((length, q) => {
    const push = pushes_K[k]!;
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

/** What an answer has that is not in the group. */
const NONE = { advantage: Number.NaN, push: Number.NaN };

function stateOf({ algorithm, long, right }: Values) {
  // Eight answers; those that are right stand first, and both kinds have short and long ones.
  const rewards = Array.from({ length: 8 }, (_, g) => (g < right! ? 1 : 0));
  const lengths = rewards.map((_, g) => (g % 2 === 0 ? SHORT : long!));
  const answers = tokenPushes(ALGORITHMS[algorithm!]!, rewards, lengths).map(({ advantage, push }, g) => ({
    name: `${lengths[g] === SHORT ? "short" : "long"}, ${rewards[g] === 1 ? "right" : "wrong"}`,
    length: lengths[g]!,
    reward: rewards[g]!,
    advantage,
    push,
    whole: push * lengths[g]!,
  }));
  // Of answers that are alike one is shown, always in the same order.
  const rows = KINDS.flatMap((kind) => answers.find(({ name }) => name === kind) ?? []);
  const [rightOne, , wrong, longWrong] = KINDS.map((kind) => rows.find(({ name }) => name === kind) ?? NONE);
  const listed = (write: (answer: (typeof rows)[number]) => string) => rows.map((row) => `${row.name} ${write(row)}`).join("; ");
  return {
    rows,
    algorithm: NAMES[algorithm!]!,
    rightOne: rightOne!,
    wrong: wrong!,
    longWrong: { ...longWrong!, brief: formatNumber(longWrong!.push, 2) },
    times: wrong!.push / longWrong!.push,
    advantages: listed(({ advantage }) => signedMeasureText(advantage)),
    weights: listed(({ push, advantage }) => measureText(push / advantage)),
    pulls: listed(({ push }) => signedMeasureText(-push)),
    rewards: listed(({ reward, advantage }) => `${reward}, so ${signedMeasureText(advantage)}`),
  };
}

/** The same sums for a group with one right answer and one with four, with the division by the spread and without. */
const SPREAD = { rare: weightOfGroup("grpo", 1), even: weightOfGroup("grpo", 4) };
const PLAIN = { rare: weightOfGroup("dr-grpo", 1), even: weightOfGroup("dr-grpo", 4) };

const NUMBERS = "Each token of the long one gets {longWrong.push:+}, each of the short one {wrong.push:+}, {times} times as much.";

export const lengthBias = defineLesson({
  id: "length-bias",
  title: "What the divisions favour",
  question: "GRPO divides by the length of each answer and by the spread of its group. Both look harmless. What do they favour?",
  minutes: 6,
  intro:
    "One [[group]] of eight answers: four are right and four wrong, and of either kind two have 4 tokens and two 12, which makes 64 tokens in all. The figure shows one answer of each kind: first its advantage, and after your prediction how hard **each token** is pushed. A push is minus the derivative of the trainer's loss by the token's log-probability.",
  controls: [
    choiceControl("algorithm", "Algorithm", NAMES),
    { id: "long", label: "Tokens of a long answer", min: 4, max: 40, step: 1, initial: 12, show: String },
    { id: "right", label: "Right answers of 8", min: 1, max: 7, step: 1, initial: 4, show: String },
  ],
  state: stateOf,
  figureTitle: "Four kinds of answers in one group",
  figureHelp: "A row for each kind of answer, with a tile for each of its tokens: first its advantage, then the push on each token.",
  figure: ({ rows }, { phase }) => [
    "Under **{algorithm}**",
    phase < 0
      ? { kind: "rows", head: "advantage of the answer", most: 2, rows, label: "{name} ", tiles: "length", value: "advantage" }
      : { kind: "rows", head: "push on each of its tokens", most: 0.04, rows, label: "{name} ", tiles: "length", value: "push" },
  ],
  columns: {
    answer: "name",
    tokens: "length",
    reward: "reward",
    advantage: "advantage:+",
    "push on each token": "push:#",
    "push on the whole answer": "whole:#",
  },
  answerColumns: ["push on each token", "push on the whole answer"],
  prediction: {
    question: `
      Under GRPO, two wrong answers of this group: one of 4 tokens, one of 12. They have the same [[advantage]]. Whose tokens are each pushed down harder?
      - [ ] Those of the long answer: there is more wrong with it.
        Every answer has the same total push, since GRPO averages over its tokens. A long answer spreads it thinner. ${NUMBERS}
      - [ ] All alike: the advantage is the same.
        The advantage is the same, but GRPO then divides by the number of tokens: each answer shares out the same total. ${NUMBERS}
      - [x] Those of the short answer.
        GRPO first averages over the tokens of an answer, so every answer has the same total push and shares it among its tokens. ${NUMBERS}`,
  },
  phases: [
    {
      title: "One over the length",
      loop: { at: ["const A =", "const weight", "const push"] },
      formula: {
        tex: String.raw`\frac{1}{G} \sum_{i=1}^{G} \sym{len}{\frac{1}{|o_i|}} \sum_{t=1}^{|o_i|} \min(\dots)\qquad \frac{1}{8} \cdot \sym{len}{\frac{1}{12}} \cdot (\num{longWrong.advantage}) = \sym{push}{\num{longWrong.push}}`,
        spoken: "One over G, sum over the answers, one over the length of the answer, sum over its tokens of the clipped objective",
        symbols: { len: "one over the number of tokens", push: "push on a token of the long wrong answer, {longWrong.push:+}" },
      },
      text: "|o_{i}| is the number of tokens of answer i, min(…) the clipped objective of the lesson on the ratio. Among *wrong* answers the long one is let off lightly: {longWrong.push:+@push} per token against {wrong.push:+}. Each token is a decision of its own, also the one to go on instead of ending: in a long wrong answer all of them are discouraged less, so long wrong answers stay likelier than short ones. Among *right* answers it is the short one whose decisions gain most. When wrong answers grow longer, that can look like deeper thought and still be only this.",
    },
    {
      title: "All tokens alike: DAPO",
      set: { algorithm: 1 },
      loop: {
        at: ["const weight", "const push"],
        note: "DAPO divides by the tokens of the whole batch, whatever the answer's length.",
      },
      text: "DAPO averages over all tokens of the batch at once. Every token of a wrong answer now gets {longWrong.advantage:+} / 64 = {longWrong.push:+}, in a long answer as in a short one. A long answer as a whole counts more.",
    },
    {
      title: "A constant: Dr. GRPO",
      set: { algorithm: 2 },
      loop: {
        at: ["const weight", "const push"],
        note: "Dr. GRPO divides by 40 · Q, the length limit in place of the answer's length.",
      },
      text: "Dr. GRPO divides by a constant, the length limit, here 40, whatever else is in the batch. It also drops the division by the standard deviation, so that the advantage is {longWrong.advantage:+}, the reward minus the mean. With eight answers each token gets {longWrong.advantage:+} / (8 · 40) = {longWrong.brief}.",
    },
    {
      title: "One over the spread",
      set: { algorithm: 0, right: 1 },
      loop: { at: ["(reward - centre) /"] },
      text: `GRPO again, now with one right answer of eight. Dividing by the small spread makes its advantage {rightOne.advantage:+}; with 4 of 8 right it was ${signedMeasureText(tokenPushes("grpo", [1, 1, 1, 1, 0, 0, 0, 0], Array(8).fill(SHORT))[0]!.advantage)}. Add up the eight advantages without their signs: ${measureText(SPREAD.rare)} for this group, ${measureText(SPREAD.even)} for one of 4 right. Without the division it is ${measureText(PLAIN.rare)} and ${measureText(PLAIN.even)}. So prompts that are nearly always wrong, or nearly always right, count ${shareText(SPREAD.rare / SPREAD.even)} of one in the middle instead of ${shareText(PLAIN.rare / PLAIN.even)}: the division favours them.`,
    },
  ],
  play: "Make the long answers 40 tokens long and go through the three algorithms. Where does it matter to a token whether its answer is a long or a short one?",
  transfer: `
    In a GRPO run the mean length of wrong answers doubles over a day while accuracy stays the same. Which change would you test first?
    - [x] Average over tokens of the batch (DAPO) or divide by a constant (Dr. GRPO).
      With 1/|o| long wrong answers are punished least per token, which makes wrong answers grow. Both variants take that away.
    - [ ] None: longer answers mean that the model reasons more.
      Accuracy did not rise. Under GRPO's averaging, wrong answers grow longer by themselves.
    - [ ] A larger group size.
      That gives better baselines and fewer dead groups; the division by length stays.`,
  sources: [
    "[Liu et al. 2025, Understanding R1-Zero-Like Training (Dr. GRPO), section 3](https://arxiv.org/abs/2503.20783)",
    "[Yu et al. 2025, DAPO, section 3.3 (token-level loss)](https://arxiv.org/abs/2503.14476)",
    "[Shao et al. 2024, DeepSeekMath, equation 3](https://arxiv.org/abs/2402.03300)",
  ],
  inLoop: { Q: "8", A: "{advantages}", weight: "{weights}", push: "{pulls}", reward: "{rewards}" },
  train: ({ algorithm }) => ({ preset: "boxed-arithmetic", algorithm: ALGORITHMS[algorithm!]! }),
});
