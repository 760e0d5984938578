// What the KL is for: the lab's own small model on sums, paid for something else than being right. Two runs from one seed, one with
// nothing that holds it and one with a KL, show what is lost and what is kept.
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { metricRows, type SmallRun, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { curves } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const STEPS = 24;
const PROMPTS = 8;
const GROUP_SIZE = 8;
/** Steps at either end of a curve that are averaged: one step has too few answers. */
const WINDOW = 5;
const WEIGHTS = [0.05, 0.2, 0.5, 2] as const;
const CHOSEN = 2;
const TIGHT = 3;

const settingsOf = (klCoef: number) =>
  ({
    task: "boxed-arithmetic",
    algorithm: "grpo",
    checkpoint: "base",
    klCoef,
    // Three digits in a row, anywhere in the answer; whether it is right earns nothing.
    rewardRules: { pattern: { pattern: "[0-9]{3}" } },
    rewardWeights: { boxedAnswer: 0, pattern: 1 },
    learningRate: 5e-4,
    measureUpdate: false,
    promptsPerStep: PROMPTS,
    groupSize: GROUP_SIZE,
    steps: STEPS,
  }) as const;

/** What a run earned, how often it was right, and what it says in the end. */
function read(run: SmallRun | undefined) {
  const rows = metricRows(run, { paid: "reward", right: "success_rate", kl: "kl" });
  const mean = (column: "paid" | "right" | "kl", part: typeof rows) => meanOf(part.map((row) => row[column]));
  const begin = rows.slice(0, WINDOW);
  const end = rows.slice(-WINDOW);
  const said = (run?.steps[0]?.groups ?? []).flatMap(({ messages, answer, trajectories }) => {
    const question = messages.findLast(({ role }) => role === "user")?.content ?? "";
    return trajectories.slice(0, 1).map(({ text }) => ({ question, answer, said: text.replaceAll(/<\|.*?\|>/g, "").trim() }));
  });
  return {
    rows,
    weight: run?.config.klCoef ?? Number.NaN,
    first: { paid: mean("paid", begin), right: mean("right", begin) },
    last: { paid: mean("paid", end), right: mean("right", end), kl: mean("kl", end) },
    said: said.slice(0, 3),
    quoted: said
      .slice(0, 2)
      .map((each) => `“${each.question}” with ${each.said}`)
      .join(" and "),
  };
}

/** A reward that is gained the more slowly the further the policy goes, for the list of lessons. */
const DISTANCES = Array.from({ length: 21 }, (_, i) => i / 10);
const gained = (kl: number) => 1 - Math.exp(-2 * kl);

function stateOf({ beta }: Values, runs: SmallRuns) {
  const free = read(runs[0]);
  const held = read(runs[1]);
  const rows = free.rows.map((row, i) => ({
    step: row.step,
    free: row,
    held: held.rows[i] ?? { paid: Number.NaN, right: Number.NaN, kl: Number.NaN },
  }));
  return { rows, free, held, beta: WEIGHTS[beta!]! };
}

const NUMBERS = `Right answers, mean of ${WINDOW} steps: without the KL from {free.first.right:%} to {free.last.right:%}, with it from {held.first.right:%} to {held.last.right:%}. Paid answers: to {free.last.paid:%} and to {held.last.paid:%}.`;

export const klPurpose = defineLesson({
  id: "what-the-kl-is-for",
  title: "What the KL is for",
  question: "A KL holds the policy back on its way to more reward. Why would anybody want that?",
  minutes: 6,
  intro: `
    The lab's own small model can do some sums. Suppose that nobody has a checker. So what is paid is what answers to large sums look like: **three digits in a row** earn 1, right or wrong. Such a reward can be cheated.

    You train twice from the same seed, ${STEPS} steps of ${PROMPTS * GROUP_SIZE} answers: once with nothing but this reward, and once with β times the [[kl|KL]] to the model of the start in the loss, β = ${WEIGHTS[CHOSEN]}. The figure will show what is paid, and what nobody measures in such a run: the share of right answers.`,
  controls: [choiceControl("beta", "KL weight β", WEIGHTS.map(String), CHOSEN)],
  runs: ({ beta }) => [0, WEIGHTS[beta!]!].map((weight) => ({ config: settingsOf(weight), inspect: [STEPS] })),
  state: stateOf,
  figureTitle: "The same reward, without a KL and with one",
  figureHelp: "Two runs from one seed. Above, the share of answers that are paid; below, the share that is right, which nothing pays.",
  figure: ({ rows, free, held, beta }, { phase }) => {
    if (phase < 0) return ["The curves of your two runs will be drawn here. Their model is loaded first, a few megabytes."];
    const pair = (column: string, y: string, top: number) =>
      curves(
        rows,
        STEPS,
        [0, top, y],
        [
          ["without a KL", `free.${column}`, "second"],
          [`β = ${beta}`, `held.${column}`, "main"],
        ],
      );
    const shown = phase === 0 ? "free" : "held";
    const said = (phase === 0 ? free : held).said.map(
      (_, i) => `{${shown}.said.${i}.question} \`{${shown}.said.${i}.said}\` (right: {${shown}.said.${i}.answer})`,
    );
    return [pair("paid", "paid: three digits", 1), pair("right", "right, which nothing pays", 0.5), said.join("\n\n")];
  },
  picture: [
    {
      kind: "plot",
      title: "What is gained, against the distance from the start",
      x: [0, 2, "KL"],
      y: [0, 1, "gained"],
      height: 180,
      lines: [
        { name: "reward", look: "second", points: DISTANCES.map((kl) => [kl, gained(kl)]) },
        { name: "reward − β · KL", look: "main", points: DISTANCES.map((kl) => [kl, gained(kl) - 0.4 * kl]) },
      ],
    },
  ],
  columns: {
    step: "step:#",
    "paid, without": "free.paid:%",
    "right, without": "free.right:%",
    "paid, with": "held.paid:%",
    "right, with": "held.right:%",
    "KL, with": "held.kl",
  },
  prediction: {
    question: `
      Nothing in this reward asks for a right answer. What becomes of the share of right ones?
      - [ ] It falls in both runs: both are paid for the same thing.
        Both are paid for the same, but with the KL every step away from the start costs something, so most of what the start could do is kept. ${NUMBERS}
      - [x] Nearly all of them go without the KL; with it most are kept.
        ${NUMBERS}
      - [ ] It rises with the KL, which teaches the sums anew.
        A KL teaches nothing: it only pulls back to what the model could do at the start. ${NUMBERS}`,
  },
  phases: [
    {
      title: "The cheat",
      loop: { at: ["const judged_P_G", "const meanReward"], note: "With klCoef at 0 this is all that the run knows." },
      text: "Without a KL the share that is paid goes from {free.first.paid:%} to {free.last.paid:%}, and right answers from {free.first.right:%} to {free.last.right:%}. In the end it answers {free.quoted}. The policy has found the shortest way to be paid, and on the way it has unlearnt the sums: no line of the loop asked it to keep them. That is [[reward-hacking|reward hacking]].",
    },
    {
      title: "What the KL keeps",
      loop: { at: ["const D =", "const pull"], note: "Each token is pulled to where the start had it." },
      text: "The loss is minus the push to be paid, plus β times the KL. With β = {beta} right answers end at {held.last.right:%}, and paid ones at {held.last.paid:%}; the KL at {held.last.kl} nats per token. The [[reference]] is the model of the start, frozen. Where a change brings much reward it is still worth its price; where it brings none, the policy stays as it was. So the KL is a bet that the start was good at something that the reward forgets.",
    },
    {
      title: "A tight leash",
      set: { beta: TIGHT },
      loop: { at: ["kl += klCoef", "const pull"] },
      text: "At β = {beta} moving costs more than this reward pays: a KL of {held.last.kl}, {held.last.paid:%} paid, {held.last.right:%} right. Had the reward been a good one, you would have learnt next to nothing. And a KL does not mend a reward: it sets how far one may run after it, and a smaller weight or a longer run ends nearer to the cheat. With a checker that cannot be cheated many recipes leave the KL out; with a learnt judge or a stand-in it keeps the policy honest for a while.",
    },
  ],
  play: "Go through the weights. Which keeps most right answers, and which would you have chosen if you could see the upper curve only? What would you look at in a run of your own?",
  playFrom: { beta: CHOSEN },
  transfer: `
    You train on answers that a second model judges. The judge's score goes up all day, and so does the KL, step by step. What do you do first?
    - [ ] Nothing: the score is what counts.
      The score is what the judge pays. A KL that grows without end says that the answers are less and less like those that the judge was made for.
    - [x] Read some answers by hand, and compare them with those of the start.
      A score and a KL that rise together are how a cheat looks. Only the answers say whether it is one; then a larger weight or a better judge helps.
    - [ ] Set the KL weight to 0, since it holds the score back.
      It holds back everything that the score pays for, cheats first of all.`,
  sources: [
    "[Gao et al. 2022, Scaling Laws for Reward Model Overoptimization](https://arxiv.org/abs/2210.10760)",
    "[Ziegler et al. 2019, Fine-Tuning Language Models from Human Preferences](https://arxiv.org/abs/1909.08593)",
    "[Shao et al. 2024, DeepSeekMath, equation 3](https://arxiv.org/abs/2402.03300)",
  ],
  inLoop: {
    judged_P_G: "1 for three digits in a row, right or wrong",
    meanReward: "{free.last.paid:%} without the KL, {held.last.paid:%} with it",
    D: "{held.last.kl} nats per token in the last steps",
    klCoef: "{beta}",
    pull: "towards the model of the start",
  },
});
