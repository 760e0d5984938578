// One answer under two kinds of credit. Rollouts and a critic's values are from a short run of PPO on a tiny
// transformer; credit is the trainer's, once by GAE and once relative to the group.

import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { TrajectoryRecord } from "../../../protocol/records.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { TINY_TRANSFORMER } from "../../../rl/tasks/digitSum.ts";
import type { SmallPlan, SmallRuns } from "../../experiment/small/smallRun.ts";
import { advantagesOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { type PlotMark, points } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";
import type { LoopPlace } from "../loop/source.ts";

const STEPS = 40;
const GROUP_SIZE = 32;
const MEMBERS = 8;
const ANSWERS = Array.from({ length: MEMBERS }, (_, i) => `Answer ${i + 1}`);
const DIGITS = 6;
const MOST = 9 * DIGITS;
const SCALE = 20;

export const CRITIC_RUN: SmallPlan = {
  config: {
    task: "digit-sum",
    taskOptions: { length: DIGITS, target: MOST, scale: SCALE },
    maxCompletionTokens: DIGITS,
    algorithm: "ppo",
    ...TINY_TRANSFORMER,
    promptsPerStep: 2,
    groupSize: GROUP_SIZE,
    steps: STEPS,
    // Slow enough that answers still differ when the critic has learnt to tell them apart.
    learningRate: 5e-5,
    valueEpochs: 8,
    klCoef: 0,
    optimizer: "adamw",
  },
  inspect: [STEPS],
};

/** The reward less the group's mean, for each answer of a group of equal lengths: GRPO's advantage before its division. */
export function groupCredit(rewards: readonly number[]): Float64Array {
  const settings = settingsOf("grpo", { klCoef: 0, advantageScale: "none" });
  return advantagesOf({ rewards, lengths: rewards.map(() => 1) }, settings).advantages_Q;
}

/** PPO's advantage of each token of one answer, not whitened, so that the sums can be followed. */
export function criticCredit(reward: number, values: readonly number[], lambda: number): Float64Array {
  const settings = settingsOf("ppo", { klCoef: 0, gaeLambda: lambda, whitenAdvantages: false });
  return values.length === 0
    ? new Float64Array()
    : advantagesOf({ rewards: [reward], lengths: [values.length] }, settings, values).advantages_K;
}

/** What two kinds of credit make of one answer of a run. */
function readAnswer({ pieces, channels, reward: earned }: Pick<TrajectoryRecord, "pieces" | "channels" | "reward">, flat: number) {
  const values = channels.values ?? [];
  const reward = earned ?? 0;
  /** How far each token moves the critic's value, the last one to the reward. */
  const surprise = Array.from(criticCredit(reward, values, 0));
  /** The token before the last with which the value falls most. */
  const fall = Math.min(...surprise.slice(0, -1));
  return { pieces, values, reward, flat, surprise, fall, worst: surprise.indexOf(fall) };
}
type Answer = ReturnType<typeof readAnswer>;

/** Answers of a group that are digits throughout, those first in which one digit makes the critic fall most. */
export function harmfulAnswers(members: readonly TrajectoryRecord[]): readonly Answer[] {
  const credit = groupCredit(members.map(({ reward }) => reward ?? 0));
  const answers = members.map((member, g) => readAnswer(member, credit[g]!));
  return answers.filter(({ pieces }) => pieces.every((piece) => piece.length === 1)).sort((a, b) => a.fall - b.fall);
}

/** Mean surprise that comes with digits of a kind, over many answers. */
export function meanSurprise(answers: readonly Answer[], isMeant: (digit: number) => boolean): number {
  return meanOf(answers.flatMap(({ surprise, pieces }) => surprise.filter((_, t) => isMeant(Number(pieces[t])))));
}

const NONE: Answer = { pieces: [], values: [], reward: 0, flat: 0, surprise: [], fall: 0, worst: -1 };

/** An answer with a digit that harms it, for the list of lessons. */
const EXAMPLE = { values: [0.4, 0.45, 0.42, 0.5, 0.27, 0.3], reward: 0.32, flat: 0.06 };

function stateOf({ member, lambda }: Values, [run]: SmallRuns) {
  const answers = harmfulAnswers(run?.steps[0]?.groups[0]?.trajectories ?? []);
  const { pieces, values, reward, flat, surprise, worst } = answers[member!] ?? NONE;
  const gae = criticCredit(reward, values, lambda!);
  const rows = pieces.map((piece, t) => ({ place: t + 1, piece, value: values[t]!, surprise: surprise[t]!, gae: gae[t]!, flat }));
  // The critic's value after the token with which it falls most.
  const after = values[worst + 1] ?? reward;
  return {
    rows,
    digits: pieces.join(" "),
    reward,
    flat,
    groupMean: reward - flat,
    least: Math.min(...gae),
    most: Math.max(...gae),
    credits: Array.from(gae, signedMeasureText).join(", "),
    foreseen: values.map(measureText).join(", "),
    first: rows[0],
    worst: rows[worst],
    after,
    end:
      reward > after
        ? `The critic falls too far here, having met few such answers: in the end this one earns ${measureText(reward)}.`
        : `In the end the answer earns ${measureText(reward)}.`,
    secondLast: rows.at(-2),
    last: rows.at(-1),
    /** Mean surprise of a 9 and of digits below 5, over the group. */
    nines: meanSurprise(answers, (digit) => digit === 9),
    small: meanSurprise(answers, (digit) => digit < 5),
  };
}

const PER_TOKEN: LoopPlace = {
  at: ["const A ="],
  isInstead: true,
  note: "PPO has an advantage of its own for each token k where GRPO has one A for the whole answer.",
};
const NUMBERS = "In your run's answer every digit has {flat:+} under GRPO; under PPO they reach from {least:+} to {most:+}.";

export const critic = defineLesson({
  id: "critic",
  title: "Credit for each token",
  question: "PPO trains a second network, the critic, beside the policy. GRPO does without. What is lost?",
  minutes: 6,
  intro: `
    PPO (proximal policy optimisation) has the ratio and the clip of lesson 5. In place of the group's mean it has a [[critic]]: a second network that is trained to predict the reward.

    Your run trains a tiny transformer by PPO, critic included, for ${STEPS} steps. It says ${DIGITS} digits, and the larger their sum the better: the [[reward]] is e to the power (sum − ${MOST})/${SCALE}, so 1 for six 9s, and it comes at the end. The figure shows one answer of the last step, in which one digit did most of the harm.`,
  controls: [
    choiceControl("member", "Answer", ANSWERS),
    { id: "lambda", label: "GAE λ", min: 0, max: 1, step: 0.05, initial: 0.95, show: measureText },
  ],
  runs: () => [CRITIC_RUN],
  state: stateOf,
  figureTitle: "One answer, two kinds of credit",
  figureHelp:
    "One answer, token by token: what the critic predicts before each token, and the advantage that each gets from the critic and from the group.",
  figure: ({ rows, digits, flat }, { phase }) => {
    if (rows.length === 0) return ["An answer of your run, with the critic's values, will stand here."];
    const across = { kind: "plot", x: [1, rows.length, `token (${digits})`], xTicks: [1, DIGITS / 2, DIGITS] } as const;
    // Room above and below the numbers.
    const most = Math.max(0.05, ...[flat, ...rows.map(({ gae }) => gae)].map(Math.abs)) * 1.1;
    const values: PlotMark = {
      ...across,
      title: "Values",
      y: [0, 1, "the critic's value before each token"],
      height: 130,
      lines: [{ name: "V", look: "second", points: points(rows, "place", "value") }],
    };
    const credit: PlotMark = {
      ...across,
      title: "Credit",
      y: [-most, most, "advantage, in units of reward"],
      height: 180,
      lines: [
        { name: "GRPO", look: "faint", points: points(rows, "place", "flat"), mark: { at: 2, text: "GRPO" } },
        phase >= 2 && { name: "PPO, by GAE", look: "main", points: points(rows, "place", "gae") },
      ],
    };
    return ["The answer **`{digits}`** earned {reward@reward}.", phase >= 1 && values, phase !== 1 && credit];
  },
  picture: [
    {
      kind: "plot",
      title: "Credit",
      x: [1, DIGITS, "token"],
      y: [-0.3, 0.3, "credit"],
      height: 180,
      lines: [
        { name: "GRPO", look: "faint", points: EXAMPLE.values.map((_, t) => [t + 1, EXAMPLE.flat]) },
        {
          name: "PPO, by GAE",
          look: "main",
          points: Array.from(criticCredit(EXAMPLE.reward, EXAMPLE.values, 0), (credit, t) => [t + 1, credit]),
        },
      ],
    },
  ],
  columns: { token: "piece", "value before it": "value", "advantage, PPO": "gae:+", "advantage, GRPO": "flat:+" },
  prediction: {
    question: `
      Under GRPO with one reward at the end, how does the [[advantage]] of the harmful digit compare with the others'?
      - [ ] It is lower: it did the harm.
        GRPO cannot see which token did the harm: it compares whole answers. Only over many answers do bad tokens turn up more often in bad ones. ${NUMBERS}
      - [x] It is the same.
        A reward at the end is one number for the whole answer, and GRPO has nothing by which to tell its tokens apart. ${NUMBERS}
      - [ ] It depends on its place: earlier digits get more.
        GRPO's number for an answer is written on each of its tokens alike, wherever it stands. ${NUMBERS}`,
  },
  phases: [
    {
      title: "One number for all",
      loop: { at: ["const advantages_Q", "const A ="] },
      text: `The answer earned {reward}, the ${GROUP_SIZE} answers of its step {groupMean} on average. The difference, {flat:+}, is what GRPO writes on each token: a flat line. (It then divides by the group's spread, as in lesson 3. PPO rescales too. Both are left out here, so that the two lines have one unit, that of the reward.)`,
    },
    {
      title: "What the critic predicts",
      loop: {
        at: ["values_K: null }"],
        isInstead: true,
        note: "GRPO's loss asks nothing of a critic. PPO's carries a second gradient, to the values.",
      },
      text: "The critic, here as large as the policy, says before each token what the answer will earn in the end. Before the first it says {first.value}. Its largest fall comes with the `{worst.piece}` in place {worst.place}: from {worst.value} to {after}. The harm is seen as it is done. {end}",
    },
    {
      title: "Credit by surprise",
      loop: PER_TOKEN,
      formula: {
        tex: String.raw`\begin{aligned} \delta_t &= r_t + \gamma V_{t+1} - V_t \\ \hat A_t &= \sum_{l \ge 0} (\gamma \sym{lambda}{\lambda})^{l}\, \delta_{t+l} \end{aligned}`,
        spoken:
          "Delta t is the reward at t plus gamma times the next value minus this value; the advantage is the sum of later deltas, each discounted by gamma times lambda",
        symbols: { lambda: "lambda, {lambda}" },
      },
      text: "V_{t} is the critic's value before token t, r_{t} the reward that comes with it (0 but at the last), γ how much later reward counts (1 here), δ_{t} the surprise. Generalised advantage estimation adds up the surprises from a token on, each later one times λ = {lambda} once more. The last token has {reward} − {last.value} = {last.surprise:+}, the one before it {secondLast.surprise:+} and {lambda} of that: {secondLast.gae:+}. A digit is blamed for what comes after it, too, but not for what came before.",
    },
    {
      title: "Without looking ahead",
      set: { lambda: 0 },
      loop: PER_TOKEN,
      text: `With λ = 0 a token has its own surprise alone: the \`{worst.piece}\` in place {worst.place} gets {worst.gae:+}. Over all answers of the step a 9 gets {nines:+} on average, a digit below 5 {small:+}. That has little noise, but it trusts a critic that has seen ${STEPS} steps and is often wrong. With λ = 1 it is the reward minus the value: right on average, whatever the critic says, and noisier. GRPO is near that end: one baseline for the whole answer, no second network to train or to store.`,
    },
  ],
  playFrom: { lambda: 0 },
  play: `Here are ${MEMBERS} answers of the step, first those in which one digit makes the critic's value fall most. Which digits are blamed, and which of them wrongly? Then move λ to 1 and watch the last token: why does it not move?`,
  transfer: `
    Answers of 2,000 tokens, one reward at the end, and memory for one network only. What does going from PPO to GRPO give up, and what does it gain?
    - [ ] It gives up nothing: GRPO's advantages are per token, too.
      They are written on each token, but with one reward at the end it is the same number everywhere.
    - [ ] It gives up the baseline, so the noise grows without bound; it gains the memory.
      The group's mean is the baseline. That is another baseline, not none.
    - [x] It gives up credit per token; it gains the memory and a baseline that needs no training.
      The group's mean is an honest baseline from the first step; which of the 2,000 tokens mattered has to come out over many answers.`,
  sources: [
    "[Schulman et al. 2016, High-Dimensional Continuous Control Using Generalized Advantage Estimation, equation 16](https://arxiv.org/abs/1506.02438)",
    "[Schulman et al. 2017, Proximal Policy Optimization Algorithms](https://arxiv.org/abs/1707.06347)",
    "[Shao et al. 2024, DeepSeekMath, figure 4 (PPO and GRPO)](https://arxiv.org/abs/2402.03300)",
  ],
  inLoop: {
    advantages_Q: "{flat:+} for this answer",
    A: "{flat:+} at each token; PPO, λ = {lambda}: {credits}",
    values_K: "a critic's: {foreseen}",
  },
});
