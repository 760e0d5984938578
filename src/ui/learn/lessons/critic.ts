// Lesson 11: one answer under two kinds of credit. Rollouts and a critic's values are from a short run of PPO on a tiny
// transformer; credit is the trainer's, once by GAE and once relative to the group.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import type { LabRuns } from "../../experiment/lab/labRun.ts";
import {
  type Answer,
  CRITIC_RUN,
  criticCredit,
  DIGITS,
  GROUP_SIZE,
  harmfulAnswers,
  MOST,
  meanSurprise,
  SCALE,
  STEPS,
  surprises,
  worstToken,
} from "../figures/criticCredit.ts";
import { type PlotMark, points } from "../figures/Plot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";
import type { LoopPlace } from "../loop/source.ts";

const MEMBERS = 8;
const ANSWERS = Array.from({ length: MEMBERS }, (_, i) => `Answer ${i + 1}`);

const NONE: Answer = { pieces: [], values: [], reward: 0, flat: 0 };

function stateOf({ member, lambda }: Values, [run]: LabRuns) {
  const answers = harmfulAnswers(run?.steps[0]?.groups[0]?.trajectories ?? []);
  const chosen = answers[member!] ?? NONE;
  const { pieces, values, reward, flat } = chosen;
  const gae = values.length > 0 ? criticCredit(reward, values, lambda!) : new Float64Array();
  const surprise = surprises(chosen);
  const rows = pieces.map((piece, t) => ({ place: t + 1, piece, value: values[t]!, surprise: surprise[t]!, gae: gae[t]!, flat }));
  // The token with which the critic's value falls most, and what the value is after it.
  const worst = worstToken(chosen);
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
    PPO (proximal policy optimisation) has the ratio and the clip of lesson 5. What it has in place of the group's mean is a [[critic]]: a second network that is trained to foresee the reward.

    Your run trains a tiny transformer by PPO, critic included, for ${STEPS} steps. It says ${DIGITS} digits, and the larger their sum the better: the [[reward]] is e to the power (sum − ${MOST})/${SCALE}, so 1 for six 9s, and it comes at the end. The figure shows one answer of the last step, in which one digit did most of the harm.`,
  controls: [
    choiceControl("member", "Answer", ANSWERS),
    { id: "lambda", label: "GAE λ", min: 0, max: 1, step: 0.05, initial: 0.95, show: measureText },
  ],
  runs: () => [CRITIC_RUN],
  state: stateOf,
  figureTitle: "One answer, two kinds of credit",
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
      title: "What the critic foresees",
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
      text: `With λ = 0 a token has its own surprise alone: the \`{worst.piece}\` in place {worst.place} gets {worst.gae:+}. Over all answers of the step a 9 gets {nines:+} on average, a digit below 5 {small:+}. Little noise, but all faith is in a critic that has seen ${STEPS} steps and often misses. With λ = 1 it is the reward minus the value: right on average, whatever the critic says, and noisier. GRPO is near that end: one baseline for the whole answer, no second network to train or to store.`,
    },
  ],
  playFrom: { lambda: 0 },
  play: `Here are ${MEMBERS} answers of the step, those first in which one digit makes the critic fall most. Which digits get the blame, and which of it is wrong? Then move λ to 1 and watch the last token: why does it not move?`,
  transfer: `
    Answers of 2,000 tokens, one reward at the end, and memory for one network only. What does going from PPO to GRPO give up, and what does it gain?
    - [ ] It gives up nothing: GRPO's advantages are per token, too.
      They are written on each token, but with one reward at the end it is the same number everywhere.
    - [ ] It gives up the baseline, so the noise grows without bound; it gains the memory.
      The group's mean is the baseline. It is another one, not none.
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
  train: () => ({
    preset: "digit-sum-critic",
    "task.length": String(DIGITS),
    "task.target": String(MOST),
    "task.scale": String(SCALE),
    maxCompletionTokens: String(DIGITS),
    groupSize: String(GROUP_SIZE),
    promptsPerStep: "2",
    learningRate: "5e-5",
    steps: String(STEPS),
    valueEpochs: "8",
  }),
});
