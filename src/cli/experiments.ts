// What the committed results measure: every preset, one of them with its critic shared and turned off,
// and every algorithm with its default switches on both tasks, each on several seeds.

import type { RunConfigInput } from "../protocol/config.ts";
import { algorithms } from "../rl/algorithms/index.ts";
import { TINY_TRANSFORMER } from "../rl/tasks/digitSum.ts";
import { templates } from "../rl/templates/index.ts";
import { presets } from "../train/catalog.ts";
import { conversationPresets } from "../train/conversationPresets.ts";
import { pretrainedPresets } from "../train/pretrainedPresets.ts";

export interface Experiment {
  /** Names its folder of results. */
  readonly id: string;
  readonly config: RunConfigInput;
  readonly seeds: readonly number[];
  /** Why runs end below 90 % sampled where they do, as measured by longer ones; the table prints it with them. */
  readonly whyBelow90?: string;
}

const SEEDS = [0, 1, 2];
const FIVE_SEEDS = [0, 1, 2, 3, 4];

/** The tiny transformer from random weights, with everything an algorithm does not set held equal. */
const digitSum: RunConfigInput = {
  task: "digit-sum",
  ...TINY_TRANSFORMER,
  steps: 200,
  groupSize: 64,
  optimizer: "adamw",
  learningRate: 3e-3,
  schedule: "cosine",
  evalEvery: 50,
  evalProblems: 256,
};

// Measured on the same configuration with more steps.
const unfinishedSums =
  "Mostly not done yet: what is missing is certainty, which is sampled at temperature 1 and in most runs still grows when they end. With GRPO, seed 0, the sampled accuracy is 74.4 % after 100 steps, 83.4 % after 200 and 86.1 % after 300, while the entropy falls from 0.238 to 0.050 nats a token and the greedy accuracy rises to 97.7 %; seed 1 stays between 88 and 90 % from 500 to 600 steps. DAPO, seed 0, is at 92.2 % after 300 steps, RLOO, seed 2, at 83.8 %. SAPO, seed 2, learns unsteadily at this learning rate: 72.7 % after 100 steps, 70.9 % after 200, 79.3 % after 300. These five were run longer; the other rows are explained by analogy.";

const ofPresets = presets
  .filter(({ config }) => config.kind !== "supervised")
  .map(
    ({ id, config }): Experiment => ({
      id,
      config,
      seeds: config.model === "tabular" ? FIVE_SEEDS : SEEDS,
      ...(config.task === "boxed-arithmetic" ? { whyBelow90: unfinishedSums } : {}),
    }),
  );

/** What was seen in these very runs. */
const whyConversations: Readonly<Record<string, string>> = {
  search:
    "In the last ten steps 67 to 77 % of the groups agree throughout and the entropy is at 0.01 nats a token: little is left to compare.",
  router:
    "In the last ten steps 38 to 47 % of the groups still differ, so that more steps would teach more; how much was not tried. Without a price it comes to ask the dear expert, who knows most.",
  "router-with-cost":
    "With a price the policy asks one specialist and pays 1.02 to 1.05 a question, where the router without one pays 3.72 to 3.84: what specialists do not know is given up.",
  "tic-tac-toe":
    "One line of play is left. The entropy falls from 0.98 to 0.02 to 0.06 nats a token in 30 steps; then all games of nearly every group end alike, nothing is learnt any more, and what is left beats that share of the opponents.",
  countdown:
    "After 80 steps three groups of four have one reward throughout, and little is learnt: 78 to 81 % sampled then, 74 to 82 % after 120.",
  "guess-number": "After 40 steps, at 81 to 83 % sampled, two groups of three or more have one reward throughout, and little is learnt.",
  "question-answering":
    "It learns to say what it already found likeliest, 37 to 45 % at the start, and little beyond: telling the facts apart is what its weights had only begun to do. At the end a third to four fifths of the groups agree throughout.",
  "solver-and-checker":
    "The checker, kept as it was at the start, is right in three verdicts of four; with seed 0 62 % of the solver's first answers are right and 78 % of its last. Beside the solver alone the last answers are right more often on all three seeds.",
};

const ofConversations = conversationPresets.map(
  ({ id, config }): Experiment => ({ id, config, seeds: SEEDS, ...(whyConversations[id] ? { whyBelow90: whyConversations[id] } : {}) }),
);

/** What was seen in these very runs. */
const whyPretrained: Readonly<Record<string, string>> = {
  "smollm2-shouting":
    "On purpose: capital letters are paid for, right answers only counted. With seed 0 the reward on held-out prompts goes from 0.09 to 0.99.",
  "smollm2-larger-number":
    "With seed 2 it was at 95 % after 16 steps and fell back to 78 % by the last; the reward of single steps still moves between 0.75 and 0.97 then.",
};
// On two threads, as a visitor's machine has them, so that what they take is what a visitor waits.
const ofPretrained = pretrainedPresets.map(
  ({ id, config }): Experiment => ({
    id,
    config: { ...config, threads: 2 },
    seeds: SEEDS,
    ...(whyPretrained[id] ? { whyBelow90: whyPretrained[id] } : {}),
  }),
);

const whyTemplates: Readonly<Record<string, string>> = {
  "digit-credit": "Its reward is meant to be cheated: the reward climbs while right sums vanish, which the mended one mends.",
  "word-game":
    "Right is a game of all three rhymes: a third to a half of the games with two seeds, none with seed 0, which stays at one rhyme.",
  "guess-by-hints": "It gains 6 to 17 points in 40 steps, from weights that know other games and not this one.",
  "ask-calculator": "With seed 1 it was at 97 % after 15 steps; 64 conversations leave 12 points of chance.",
  shop: "With seed 2 13 of 16 sampled conversations of the last evaluation are right, where the likeliest ones all are.",
  haiku: "Of 12 sampled at the end 10 are whole with seed 1, one with seed 0 and none with seed 2, whose reward is at 0.31.",
  "json-schema": "With seed 0 8 of 12 sampled conversations of the last evaluation are right, where the likeliest ones all are.",
};

/** Templates, on two threads as well; `digit-credit-mended` is the one that is meant to be cheated, with its second reward. */
const ofTemplates = templates.flatMap(({ id, config, diagnosis }): readonly Experiment[] => [
  { id: `templates/${id}`, config: { ...config, threads: 2 }, seeds: SEEDS, ...(whyTemplates[id] ? { whyBelow90: whyTemplates[id] } : {}) },
  ...(diagnosis
    ? [{ id: `templates/${id}-mended`, config: { ...config, customRewards: diagnosis.mended, threads: 2 }, seeds: SEEDS }]
    : []),
]);

/** The solver of the two agents without its checker. */
const twoAgents = conversationPresets.find(({ id }) => id === "solver-and-checker")?.config;
const ofAgents: readonly Experiment[] = [
  {
    id: "solver-alone",
    config: { ...twoAgents, taskOptions: { rounds: 1 } },
    seeds: SEEDS,
    whyBelow90: "Still growing when they end: with seed 0 67 % sampled after 40 steps and 70 % after 80.",
  },
];

const longerSum = presets.find(({ id }) => id === "digit-sum-critic")?.config;
const ofCritics: readonly Experiment[] = [
  { id: "digit-sum-critic-shared", config: { ...longerSum, criticTrunk: "shared" }, seeds: SEEDS },
  { id: "digit-sum-critic-off", config: { ...longerSum, advantageBaseline: "group-mean" }, seeds: SEEDS },
];

// The readable loop is the tabular preset.
const onTransformers = algorithms.filter(({ id }) => id !== "builtin");

export const experiments: readonly Experiment[] = [
  ...ofPresets,
  ...ofConversations,
  ...ofPretrained,
  ...ofTemplates,
  ...ofAgents,
  ...ofCritics,
  ...onTransformers.map(({ id }): Experiment => ({ id: `digit-sum/${id}`, config: { ...digitSum, algorithm: id }, seeds: SEEDS })),
  ...onTransformers.map(
    ({ id }): Experiment => ({
      id: `arithmetic/${id}`,
      config: { task: "boxed-arithmetic", algorithm: id, steps: 50, evalEvery: 50, measureUpdate: false },
      seeds: SEEDS,
      whyBelow90: unfinishedSums,
    }),
  ),
];
