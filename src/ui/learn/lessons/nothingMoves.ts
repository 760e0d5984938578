// A run that stays where it is: too few of its groups have answers that differ in what they earn. The curve is the share that do,
// by pass rate and group size; the groups are those of the reader's own run.
import { meanOf, noSpreadChance } from "../../../rl/advantage/statistics.ts";
import { metricRows, PLAIN_TABLE, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { curves } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const DIGITS = 3;
const STEPS = 20;
const GROUPS = 8;
const RATES = [2, 10] as const;

/** What an answer of three digits is paid for, from hard to easy. */
const PAID = [
  ["is 666", "^666$"],
  ["begins with 66", "^66"],
  ["begins with a 6", "^6"],
  ["begins with 0 to 4", "^[0-4]"],
  ["does not begin with a 6", "^[^6]"],
  ["does not begin with 66", "^(?!66)"],
] as const;
const HARD = 0;
const TENTH = 2;
const EASY = 5;

/** Share of all answers that a pattern pays, which is the pass rate of a policy that draws evenly. */
const evenShare = (pattern: string) =>
  meanOf(Array.from({ length: 10 ** DIGITS }, (_, i) => Number(new RegExp(pattern).test(String(i).padStart(DIGITS, "0")))));
const PASS_RATES = PAID.map(([, pattern]) => evenShare(pattern));

function settingsOf({ paid, G, rate }: Values) {
  return {
    ...PLAIN_TABLE,
    taskOptions: { length: DIGITS, target: 18 },
    maxCompletionTokens: DIGITS,
    rewardRules: { pattern: { pattern: PAID[paid!]![1] } },
    rewardWeights: { sumCloseness: 0, pattern: 1 },
    promptsPerStep: GROUPS,
    groupSize: G!,
    learningRate: RATES[rate!]!,
    steps: STEPS,
  };
}

function stateOf({ paid, G }: Values, [run]: SmallRuns) {
  const rows = metricRows(run, { right: "reward", tied: "frac_reward_zero_std", gradNorm: "grad_norm" });
  const rewards_P_G = (run?.steps[0]?.groups ?? []).map(({ trajectories }) => trajectories.map(({ reward }) => reward ?? 0));
  const p = PASS_RATES[paid!]!;
  const share = 1 - noSpreadChance(p, G!);
  return {
    rows,
    rewards_P_G,
    what: PAID[paid!]![0],
    p,
    share,
    expected: GROUPS * share,
    twice: 1 - noSpreadChance(p, 2 * G!),
    teaching: Math.round(rows.reduce((sum, { tied }) => sum + (1 - tied) * GROUPS, 0)),
    all: rows.length * GROUPS,
    first: rows[0],
    last: rows.at(-1),
    steepest: Math.max(...rows.map(({ gradNorm }) => gradNorm)),
    still: rows.filter(({ gradNorm }) => gradNorm === 0).length,
  };
}

const GRID = Array.from({ length: 101 }, (_, i) => i / 100);
const OTHERS = [4, 16, 64];
const teaching = (G: number) => GRID.map((p) => [p, 1 - noSpreadChance(p, G)] as const);
/** A curve is named where it has risen to here: the names stand apart from each other and below the plot's edge. */
const NAMED_AT = 0.6;

const STILL =
  "The learning rate multiplies the gradient, and five times 0 is 0. In your run the gradient norm is 0 in {still} of {rows.length} steps: {teaching} of {all} groups had answers that earned differently.";

export const nothingMoves = defineLesson({
  id: "nothing-moves",
  title: "Why nothing moves",
  question: "The run goes on, and the curves lie flat at 0. Is the learning rate too small?",
  minutes: 6,
  intro: `
    A policy of three digits draws evenly at first. An answer that **is 666** earns 1, every other one 0: one in a thousand is right, its [[pass-rate|pass rate]]. A step samples ${GROUPS} groups of four. All that GRPO and its relatives learn from is the difference between answers of one group.

    Your run takes ${STEPS} steps. Nothing happens in them, so a friend says: five times the learning rate.`,
  controls: [
    choiceControl(
      "paid",
      "An answer earns 1 if it",
      PAID.map(([name]) => name),
      HARD,
    ),
    { id: "G", label: "Group size G", min: 2, max: 64, step: 1, initial: 4, show: String },
    choiceControl("rate", "Learning rate", RATES.map(String)),
  ],
  runs: (values) => [{ config: settingsOf(values), inspect: [1] }],
  state: stateOf,
  figureTitle: "Groups that teach, and what comes of them",
  figureHelp:
    "The share of groups with both right and wrong answers, by pass rate; below it the groups of your run's first step, answer by answer.",
  figure: ({ rows, rewards_P_G, p, share }, { phase, values: { G } }) => {
    if (phase < 0) return ["The groups of your run will be drawn here."];
    const others = OTHERS.filter((size) => size !== G).map((size) => {
      const name = `G = ${size}`;
      const points = teaching(size);
      return { name, points, look: "faint", mark: { at: points.findIndex(([, share]) => share >= NAMED_AT), text: name } } as const;
    });
    return [
      phase >= 1 && {
        kind: "plot",
        title: "Groups that teach",
        x: [0, 1, "pass rate p"],
        y: [0, 1, "share of groups that teach"],
        lines: [...others, { name: `G = ${G}`, look: "main", points: teaching(G!) }],
        cross: [p, share],
      },
      "p = {p:%@p}, G = {G@G}: {share:%@share} of the groups teach.",
      { kind: "groups", head: `The ${GROUPS} groups of step 1: a full tile was paid`, rewards_P_G },
      curves(rows, STEPS, [0, 1, "share that is paid"], [["paid", "right", "main"]], 110),
    ];
  },
  columns: { step: "step:#", paid: "right:%", "tied groups": "tied:%", "gradient norm": "gradNorm" },
  prediction: {
    question: `
      The same run from the same seed with a learning rate of ${RATES[1]} in place of ${RATES[0]}. What will it do?
      - [ ] It begins to move: the steps were too small to be seen.
        ${STILL}
      - [ ] It breaks: at such a rate the policy forgets how to draw evenly.
        It might, if it took a step at all. ${STILL}
      - [x] Exactly the same: it stays where it is.
        ${STILL}`,
    set: { rate: 1 },
  },
  phases: [
    {
      title: "No difference, no push",
      set: { rate: 0 },
      loop: { at: ["if (Math.max(", "gradNorm +="] },
      text: "In a group of four wrong answers none is better than the others. That group is [[tied-group|tied]]: every [[advantage]] is 0, and so is every push. Of the {all} groups of your run {teaching} were not tied, and the [[gradient-norm|gradient norm]] is 0 in {still} of {rows.length} steps. More steps, another optimizer or a longer day change nothing about that.",
    },
    {
      title: "How many groups can teach",
      loop: { at: ["if (Math.max("], note: "A group teaches where this line does not return." },
      formula: {
        tex: String.raw`\sym{share}{P(\text{teaches})} \;=\; 1 - \sym{p}{p}^{\sym{G}{G}} - (1 - \sym{p}{p})^{\sym{G}{G}} \;=\; \sym{share}{\num{share}}`,
        spoken: "The chance that a group teaches is one minus p to the power of G minus one minus p to the power of G",
        symbols: { share: "share of groups that teach, {share:%}", p: "pass rate, {p:%}", G: "group size, {G}" },
      },
      text: `A group teaches where it has both right and wrong answers. With a pass rate of {p:%} and four answers that is {share:%} of the groups: {expected} of the ${GROUPS} groups of a step. The curve is highest at one half, and falls to 0 at both ends. Before a run of your own, sample some prompts and read off where they lie.`,
    },
    {
      title: "Larger groups",
      set: { G: 64 },
      loop: { at: ["const envs_P_G", "if (Math.max("] },
      text: "Sixty-four answers to each prompt: {share:%} of the groups teach, and twice as many answers again would make it {twice:%}. While p is small, twice the group is about twice the chance. In your run {teaching} of {all} groups taught, and the largest gradient norm was {steepest}. That is a beginning, at sixteen times the price.",
    },
    {
      title: "An easier beginning",
      set: { G: 4, paid: TENTH },
      loop: { at: ["const judged_P_G", "const meanReward"] },
      text: "Four answers again, but one that **{what}** is paid: one in ten. Now {share:%} of the groups teach, and your run goes from {first.right:%} to {last.right:%} in {rows.length} steps. So make the first step easier: pay a part of the way, begin with easier prompts (a [[curriculum]]), show worked examples first, or start from a model that gets it right now and then. What was learnt makes the next part likely enough.",
    },
    {
      title: "The other end",
      set: { paid: EASY },
      loop: { at: ["if (Math.max(", "const meanReward"] },
      text: "Here all but one answer in a hundred are right, and again only {share:%} of the groups teach: they are tied because everything in them is right. Nothing is wrong with such a run. These prompts are learnt; give it harder ones.",
    },
  ],
  play: "Find the smallest group with which half of all groups teach: for “begins with 66”, for “begins with a 6”, for “begins with 0 to 4”. Then look whether the run agrees.",
  playFrom: { paid: 1 },
  transfer: `
    A run on your own prompts earns nothing for twenty steps: 32 groups of 8, reward 1 or 0. You sample 200 answers: one is right, and half of them are cut off at the length limit. What do you change first?
    - [ ] The learning rate: ten times as large.
      Nearly every group is tied, so there is hardly a gradient that a rate could multiply.
    - [x] The length limit, and part credit for getting half of the way.
      An answer that is cut off cannot be right, so a higher limit may raise the pass rate by itself; part credit makes answers differ that were all 0.
    - [ ] The number of steps: it needs time.
      With one right answer in 200, about one group of eight in 25 teaches. Waiting costs 25 times as much as a better start.`,
  sources: ["[Yu et al. 2025, DAPO, section 3.2 (dynamic sampling)](https://arxiv.org/abs/2503.14476)"],
  inLoop: {
    rewards_G: "all equal but in {teaching} of {all} groups",
    gradNorm: "{first.gradNorm} in the first step, {steepest} at most",
    G: "{G}",
    judged_P_G: "1 for an answer that {what}",
    meanReward: "{first.right:%} in the first step, {last.right:%} in the last",
  },
});
