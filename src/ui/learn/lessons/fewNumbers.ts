// Lesson 12: how little has to be trained. The lab's own small model learns sums with all its weights and with adapters of
// a hundredth of them, at rates that suit each.

import {
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
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl } from "../lesson/parts.ts";

const NAMES = TRAINED.map(({ name }) => name);

const SHARES = [
  "Next to nothing: less than a fifth of the gain",
  "A part of it: a fifth to two thirds",
  "All of it, or nearly: two thirds and more",
];

const LAST = `In the last ${WINDOW} steps {chosen.last:%} of the answers are right with {name}, and {all.last:%} with all weights; in the first ${WINDOW} it was {all.first:%}.`;

export const fewNumbers = defineLesson({
  id: "few-numbers",
  title: "How few numbers are enough",
  question: "A model has millions of weights. How many of them does it take to learn from rewards?",
  minutes: 6,
  intro: `
    The lab's own small model knows the form of sums and is often wrong. Your run asks it ${PROMPTS} sums a step, ${GROUP_SIZE} answers to each, for ${STEPS} steps. Once it may move all of its weights. Once they stand still, and beside each matrix lies an [[adapter]] of [[rank]] 1: one column times one row, which is all that is trained. The method is called LoRA.

    Both see the same prompts from the same seed. Adapters take longer steps; a phase shows why.`,
  controls: [
    choiceControl("trained", "Trained", NAMES, RANK_1),
    choiceControl("places", "Adapters beside", PLACES),
    choiceControl("rate", "Learning rate", RATES.map(String), LARGE),
  ],
  runs: (values) => [
    { config: settingsOf(YARDSTICK), inspect: [] },
    { config: settingsOf(values), inspect: [] },
  ],
  state: stateOf,
  figureTitle: "Right answers, with all weights and with few numbers",
  figure: ({ all, chosen, name }, { phase }) => [
    phase < 0 && "The curves of your two runs will be drawn here.",
    phase >= 0 && {
      kind: "plot",
      title: "Right answers",
      x: [1, STEPS, "step"],
      y: [0, 0.8, `right, mean of ${WINDOW} steps`],
      xTicks: [1, STEPS / 2, STEPS],
      height: 220,
      lines: [
        all.smoothed.length > 0 && { name: "all weights", look: "second", points: all.smoothed },
        chosen.smoothed.length > 0 && { name: `your run: ${name}`, look: "main", points: chosen.smoothed },
      ],
    },
  ],
  columns: { step: "step", "right, all weights": "all", "right, your run": "chosen" },
  prediction: {
    question: `Rank 1 trains one or two numbers in a hundred. How much of what all weights gain in ${STEPS} steps will it gain?`,
    ask: { kind: "choice", options: SHARES },
    judge: (answer, state) => {
      const gained = shareOfGain(state);
      const right = gained < 1 / 5 ? 0 : gained < 2 / 3 ? 1 : 2;
      const why =
        right === 2
          ? "What rewards teach here is small: of what the model can already say, what to say more often."
          : "In this run few numbers were not enough for all of it.";
      const said = answer === right ? why : `Few numbers look like little room. ${why}`;
      const numbers = `Your run trains {chosen.trained:#} numbers in the place of {all.trained:#}. ${LAST}`;
      return { isRight: answer === right, reason: `${said} ${numbers}` };
    },
  },
  phases: [
    {
      title: "One column times one row",
      loop: { at: ["const update"], note: "The loop does not know which numbers the model moves." },
      formula: {
        tex: String.raw`y = W x + \tfrac{\alpha}{r}\, B\,(A x), \qquad A:\ r \times n_{\text{in}},\quad B:\ n_{\text{out}} \times r`,
        spoken: "y is W x plus alpha over r times B times A x, where A has r rows and B has r columns",
      },
      text: `
        W stands still. A begins at random and B at zero, so the run begins with exactly the model that it was given. At rank r = 1 a matrix of n by n has 2n numbers beside it in the place of n². In your run that makes {chosen.trained:#} numbers beside {all.parameters:#}: {part:%}.

        ${LAST}`,
    },
    {
      title: "Eight times as many",
      set: { trained: RANK_8 },
      loop: { at: ["const update", "gradNorm +="] },
      text: `Rank 8 trains {chosen.trained:#} numbers, {part:%} of all. ${LAST} One run each tells two runs apart, not two ranks: whether eight times the numbers are worth anything here takes several seeds of each to say.`,
    },
    {
      title: "Longer steps",
      set: { trained: 0, rate: LARGE },
      loop: { at: ["const update", "gradNorm +="] },
      text: `Now all weights at ${RATES[LARGE]}, the adapters' rate, in the place of ${RATES[SMALL]}: in the last ${WINDOW} steps {chosen.last:%} are right, after {all.first:%} at the start. Adam moves every number by about the learning rate. With all weights many more move at once, so the same rate leads much further, here too far. A rule of thumb is ten times the rate for adapters.`,
    },
    {
      title: "Why so few are enough",
      set: { trained: RANK_1, rate: LARGE },
      loop: { at: ["const centre"], note: "This is all that an update is told of an answer." },
      text: `An answer is right or wrong: a reward tells about one bit. Your run has {bits:#} answers, so about {bits:#} bits are learnt. Rank 1 has {chosen.trained:#} numbers of 32 bits, {room:#} in all: {times:#} times as many as there is to be told. Texts to be learnt by heart, word by word, tell far more, and small ranks fall behind on them.`,
    },
  ],
  play: "Put the adapters beside queries and values alone, as the first paper did. Then give rank 1 the smaller rate: is it too few numbers that holds it back, or too short a step?",
  playFrom: { trained: RANK_1, places: 1, rate: LARGE },
  transfer: `
    You train adapters of rank 8 from rewards, at the learning rate that a paper gives for all weights. It hardly learns. What do you try first?
    - [x] A rate some ten times as large.
      Few numbers have to move further each to change as much. It costs nothing to try, and the rank was most likely enough.
    - [ ] Rank 64.
      Even rank 1 comes near all weights in this lesson: room is seldom what is missing when rewards teach.
    - [ ] All weights.
      It may work, and costs a gradient and two moments for each weight; the rate is what was wrong.`,
  sources: [
    "[Hu et al. 2021, LoRA: Low-Rank Adaptation of Large Language Models](https://arxiv.org/abs/2106.09685)",
    "[Schulman and Thinking Machines Lab 2025, LoRA Without Regret](https://thinkingmachines.ai/blog/lora/)",
  ],
  inLoop: {
    update: "moves {moved} of {of} numbers",
    gradNorm: "over those that are trained, at the learning rate {rateText}",
    rewards_G: "{bits:#} rewards in all, about one bit each",
  },
  train: (values) => Object.fromEntries(Object.entries(settingsOf(values)).map(([key, value]) => [key, String(value)])),
});
