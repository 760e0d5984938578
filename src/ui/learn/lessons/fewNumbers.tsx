// Lesson 12: how little has to be trained. The lab's own small model learns sums with all its weights and with adapters of
// a hundredth of them, at rates that suit each.
import { shareText } from "../../../protocol/quantities.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { Term } from "../../kit/words/Term.tsx";
import {
  type AdapterState,
  GROUP_SIZE,
  LARGE,
  PLACES,
  PROMPTS,
  RANK_1,
  RANK_8,
  RATES,
  SMALL,
  STEPS,
  settingsOf,
  shareOfGain,
  stateOf,
  TRAINED,
  WINDOW,
  YARDSTICK,
} from "../figures/adapterRuns.ts";
import { Plot } from "../figures/Plot.tsx";
import { choiceControl, defineLesson, oneOf, verdictOn } from "../lesson/lesson.ts";

const BITS_A_NUMBER = 32;
const rateText = (rate: number | undefined) => String(rate);

const SHARES = [
  "Next to nothing: less than a fifth of the gain",
  "A part of it: a fifth to two thirds",
  "All of it, or nearly: two thirds and more",
];
/** Which of these a share of the gain is. */
const placeOf = (share: number) => (share < 1 / 5 ? 0 : share < 2 / 3 ? 1 : 2);

function lastText({ all, chosen, name }: AdapterState): string {
  return `In the last ${WINDOW} steps ${shareText(chosen?.last ?? Number.NaN)} of the answers are right with ${name}, and ${shareText(all?.last ?? Number.NaN)} with all weights; in the first ${WINDOW} it was ${shareText(all?.first ?? Number.NaN)}.`;
}

const partText = ({ all, chosen }: AdapterState) => shareText((chosen?.trained ?? Number.NaN) / (all?.trained ?? Number.NaN));
const countText = (count: number | undefined) => formatNumber(count ?? Number.NaN);

export const fewNumbers = defineLesson({
  id: "few-numbers",
  title: "How few numbers are enough",
  question: "A model has millions of weights. How many of them does it take to learn from rewards?",
  minutes: 6,
  intro: (
    <>
      <p>
        The lab's own small model knows the form of sums and is often wrong. Your run asks it {PROMPTS} sums a step, {GROUP_SIZE} answers to
        each, for {STEPS} steps. Once it may move all of its weights. Once they stand still, and beside each matrix lies an{" "}
        <Term id="adapter">adapter</Term> of <Term id="rank">rank</Term> 1: one column times one row, which is all that is trained. The
        method is called LoRA.
      </p>
      <p>Both see the same prompts from the same seed. Adapters take longer steps; a phase shows why.</p>
    </>
  ),
  controls: [
    choiceControl(
      "trained",
      "Trained",
      TRAINED.map(({ name }) => name),
      RANK_1,
    ),
    choiceControl("places", "Adapters beside", PLACES),
    choiceControl("rate", "Learning rate", RATES.map(rateText), LARGE),
  ],
  runs: (values) => [
    { config: settingsOf(YARDSTICK), inspect: [] },
    { config: settingsOf(values), inspect: [] },
  ],
  state: stateOf,
  figureTitle: "Right answers, with all weights and with few numbers",
  figure: ({ all, chosen, name }, { phase }) =>
    phase < 0 ? (
      <p>The curves of your two runs will be drawn here.</p>
    ) : (
      <Plot
        title="Right answers"
        x={[1, STEPS]}
        y={[0, 0.8]}
        xName="step"
        yName={`right, mean of ${WINDOW} steps`}
        xTicks={[1, STEPS / 2, STEPS]}
        height={220}
        lines={[
          ...(all ? [{ name: "all weights", look: "second" as const, points: all.smoothed }] : []),
          ...(chosen ? [{ name: `your run: ${name}`, look: "main" as const, points: chosen.smoothed }] : []),
        ]}
      />
    ),
  table: ({ all, chosen }) => ({
    head: ["step", "right, all weights", "right, your run"],
    rows: Array.from({ length: STEPS }, (_, i) => [String(i + 1), all?.right[i]?.[1] ?? Number.NaN, chosen?.right[i]?.[1] ?? Number.NaN]),
  }),
  prediction: {
    text: <p>Rank 1 trains one or two numbers in a hundred. How much of what all weights gain in {STEPS} steps will it gain?</p>,
    ask: oneOf(SHARES),
  },
  judge: (answer, state) => {
    const share = shareOfGain(state);
    const right = placeOf(share);
    const why =
      right === 2
        ? "What rewards teach here is small: of what the model can already say, what to say more often."
        : "In this run few numbers were not enough for all of it.";
    const reasons = SHARES.map((_, i) => (i === right ? why : `Few numbers look like little room. ${why}`));
    return verdictOn(
      answer,
      right,
      reasons,
      `Your run trains ${countText(state.chosen?.trained)} numbers in the place of ${countText(state.all?.trained)}. ${lastText(state)}`,
    );
  },
  phases: [
    {
      title: "One column times one row",
      formula: () => ({
        tex: String.raw`y = W x + \tfrac{\alpha}{r}\, B\,(A x), \qquad A:\ r \times n_{\text{in}},\quad B:\ n_{\text{out}} \times r`,
        spoken: "y is W x plus alpha over r times B times A x, where A has r rows and B has r columns",
      }),
      text: (state) => (
        <>
          <p>
            W stands still. A begins at random and B at zero, so the run begins with exactly the model that it was given. At rank r = 1 a
            matrix of n by n has 2n numbers beside it in the place of n². In your run that makes {countText(state.chosen?.trained)} numbers
            beside {countText(state.all?.parameters)}: {partText(state)}.
          </p>
          <p>{lastText(state)}</p>
        </>
      ),
    },
    {
      title: "Eight times as many",
      set: { trained: RANK_8 },
      text: (state) => (
        <p>
          Rank 8 trains {countText(state.chosen?.trained)} numbers, {partText(state)} of all. {lastText(state)} One run each tells two runs
          apart, not two ranks: whether eight times the numbers are worth anything here takes several seeds of each to say.
        </p>
      ),
    },
    {
      title: "Longer steps",
      set: { trained: 0, rate: LARGE },
      text: ({ all, chosen }) => (
        <p>
          Now all weights at {rateText(RATES[LARGE])}, the adapters' rate, in the place of {rateText(RATES[SMALL])}: in the last {WINDOW}{" "}
          steps {shareText(chosen?.last ?? Number.NaN)} are right, after {shareText(all?.first ?? Number.NaN)} at the start. Adam moves
          every number by about the learning rate. With all weights many more move at once, so the same rate leads much further, here too
          far. A rule of thumb is ten times the rate for adapters.
        </p>
      ),
    },
    {
      title: "Why so few are enough",
      set: { trained: RANK_1, rate: LARGE },
      text: ({ chosen, bits }) => (
        <p>
          An answer is right or wrong: a reward tells about one bit. Your run has {countText(bits)} answers, so about {countText(bits)} bits
          are learnt. Rank 1 has {countText(chosen?.trained)} numbers of {BITS_A_NUMBER} bits,{" "}
          {countText((chosen?.trained ?? Number.NaN) * BITS_A_NUMBER)} in all:{" "}
          {countText(Math.round(((chosen?.trained ?? Number.NaN) * BITS_A_NUMBER) / bits))} times as many as there is to be told. Texts to
          be learnt by heart, word by word, tell far more, and small ranks fall behind on them.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Put the adapters beside queries and values alone, as the first paper did. Then give rank 1 the smaller rate: is it too few numbers
      that holds it back, or too short a step?
    </p>
  ),
  playFrom: { trained: RANK_1, places: 1, rate: LARGE },
  transfer: {
    text: "You train adapters of rank 8 from rewards, at the learning rate that a paper gives for all weights. It hardly learns. What do you try first?",
    options: [
      {
        text: "A rate some ten times as large.",
        isRight: true,
        reason: "Few numbers have to move further each to change as much. It costs nothing to try, and the rank was most likely enough.",
      },
      {
        text: "Rank 64.",
        reason: "Even rank 1 comes near all weights in this lesson: room is seldom what is missing when rewards teach.",
      },
      { text: "All weights.", reason: "It may work, and costs a gradient and two moments for each weight; the rate is what was wrong." },
    ],
  },
  sources: [
    { text: "Hu et al. 2021, LoRA: Low-Rank Adaptation of Large Language Models", href: "https://arxiv.org/abs/2106.09685" },
    { text: "Schulman and Thinking Machines Lab 2025, LoRA Without Regret", href: "https://thinkingmachines.ai/blog/lora/" },
  ],
  inLoop: ({ chosen, all, rate, bits }) => ({
    update: `moves ${chosen ? countText(chosen.trained) : "some"} of ${all ? countText(all.parameters) : "all"} numbers`,
    gradNorm: `over those that are trained, at the learning rate ${rateText(rate)}`,
    rewards_G: `${countText(bits)} rewards in all, about one bit each`,
  }),
  train: (values) => Object.fromEntries(Object.entries(settingsOf(values)).map(([key, value]) => [key, String(value)])),
});
