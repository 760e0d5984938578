// How little has to be trained. The lab's own small model learns sums with all its weights and with adapters of
// a hundredth of them, at rates that suit each.

import type { RunConfigInput } from "../../../protocol/config.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { metricRows, type SmallRun, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { curves } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const STEPS = 32;
const PROMPTS = 16;
const GROUP_SIZE = 8;
/** Steps at either end of a curve that are averaged: one step has too few answers. */
const WINDOW = 6;
const BITS_A_NUMBER = 32;

/** What is trained, by the rank of its adapters; 0 is all weights. */
const TRAINED = [
  { name: "all weights", rank: 0 },
  { name: "rank 8", rank: 8 },
  { name: "rank 1", rank: 1 },
] as const;
export const ALL = 0;
export const RANK_8 = 1;
export const RANK_1 = 2;
const PLACES = ["all seven projections", "queries and values"] as const;
const TARGETS = ["all-linear", "query-value"] as const;
/** The rate that suits all weights, and the one that suits adapters. */
const RATES = [2e-4, 1e-3] as const;
export const SMALL = 0;
export const LARGE = 1;
/** All weights at the rate that suits them, which the others are held against. */
export const YARDSTICK: Values = { trained: ALL, places: 0, rate: SMALL };

export function settingsOf({ trained, places, rate }: Values) {
  return {
    task: "boxed-arithmetic",
    algorithm: "grpo",
    checkpoint: "base",
    loraRank: TRAINED[trained!]!.rank,
    loraTargets: TARGETS[places!]!,
    learningRate: RATES[rate!]!,
    klCoef: 0,
    measureUpdate: false,
    promptsPerStep: PROMPTS,
    groupSize: GROUP_SIZE,
    steps: STEPS,
  } as const satisfies RunConfigInput;
}

/** What one run shows; no number before it is there. */
function read(run: SmallRun | undefined) {
  const right = metricRows(run, { right: "success_rate" }).map((row) => row.right);
  const half = WINDOW / 2;
  return {
    trained: run?.model.trained ?? Number.NaN,
    parameters: run?.model.parameters ?? Number.NaN,
    /** Share of right answers step by step; each as the mean of those around it; in the first steps and in the last. */
    right,
    smoothed: right.map((_, i) => meanOf(right.slice(Math.max(0, i - half), i + half))),
    first: meanOf(right.slice(0, WINDOW)),
    last: meanOf(right.slice(-WINDOW)),
  };
}

/** What a run trains, in words. */
function runName({ loraRank, loraTargets }: SmallRun["config"]): string {
  const name = TRAINED.find(({ rank }) => rank === loraRank)?.name ?? "";
  return loraRank > 0 && loraTargets === TARGETS[1] ? `${name}, ${PLACES[1]}` : name;
}

/** The yardstick and the run that the controls choose. */
export function stateOf(values: Values, runs: SmallRuns) {
  const all = read(runs[0]);
  const chosen = read(runs[1]);
  // Answers that a run is told of: right or wrong, one bit each at most.
  const bits = STEPS * PROMPTS * GROUP_SIZE;
  const room = chosen.trained * BITS_A_NUMBER;
  const rows = Array.from({ length: STEPS }, (_, i) => ({
    step: i + 1,
    all: all.right[i] ?? Number.NaN,
    chosen: chosen.right[i] ?? Number.NaN,
    allSmoothed: all.smoothed[i],
    chosenSmoothed: chosen.smoothed[i],
  }));
  return {
    rows,
    all,
    chosen,
    // While another run is under way, the one that is shown keeps its name and its rate.
    name: runs[1] ? runName(runs[1].config) : "",
    rateText: String(runs[1]?.config.learningRate ?? RATES[values.rate!]),
    part: chosen.trained / all.trained,
    bits,
    room,
    times: Math.round(room / bits),
    moved: runs[1] ? formatNumber(chosen.trained) : "some",
    of: runs[0] ? formatNumber(all.parameters) : "all",
  };
}

/** What of the gain of all weights the chosen run has; NaN before its runs are there. */
export function shareOfGain({ all, chosen }: Pick<ReturnType<typeof stateOf>, "all" | "chosen">): number {
  return (chosen.last - all.first) / (all.last - all.first);
}

const NAMES = TRAINED.map(({ name }) => name);

/** Widths of a matrix, for the list of lessons. */
const WIDEST = 128;
const WIDTHS = Array.from({ length: 17 }, (_, i) => (i / 16) * WIDEST);

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
  figureHelp: "The share of right answers over the steps of two runs from one seed: one trains all weights, the other what you choose.",
  figure: ({ rows, name }, { phase }) => {
    if (phase < 0) return ["The curves of your two runs will be drawn here."];
    const lines = [["all weights", "allSmoothed", "second"] as const, [`your run: ${name}`, "chosenSmoothed", "main"] as const];
    return [curves(rows, STEPS, [0, 0.8, `right, mean of ${WINDOW} steps`], lines, 220)];
  },
  picture: [
    {
      kind: "plot",
      title: "Numbers that are trained of a square matrix",
      x: [0, WIDEST, "its width"],
      y: [0, WIDEST * WIDEST, "numbers"],
      height: 180,
      lines: [
        { name: "all weights", look: "second", points: WIDTHS.map((width) => [width, width * width]) },
        { name: "rank 1", look: "main", points: WIDTHS.map((width) => [width, 2 * width]) },
      ],
    },
  ],
  columns: { step: "step:#", "right, all weights": "all", "right, your run": "chosen" },
  prediction: {
    question: `Rank 1 trains one or two numbers in a hundred. How much of what all weights gain in ${STEPS} steps will it gain?`,
    ask: { kind: "choice", options: SHARES },
    judge: (answer, state) => {
      const gained = shareOfGain(state);
      const right = gained < 1 / 5 ? 0 : gained < 2 / 3 ? 1 : 2;
      const why =
        right === 2
          ? "Rewards teach little here: which of the things that the model can already say it should say more often."
          : "In this run few numbers were not enough for all of it.";
      const said = answer === right ? why : `So few numbers look like too little room. ${why}`;
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
});
