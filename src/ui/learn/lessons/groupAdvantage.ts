// The baseline of GRPO is the group. Eight rewards, and what computeAdvantages makes of them.
import { measureText } from "../../../protocol/quantities.ts";
import { summarize } from "../../../rl/advantage/statistics.ts";
import { advantagesOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const G = 8;
const BASELINES = ["group-mean", "leave-one-out"] as const;
const SCALES = ["group-std", "none"] as const;

/** Advantages of one group as the trainer computes them. */
export function groupState(rewards: readonly number[], baseline: (typeof BASELINES)[number], scale: (typeof SCALES)[number]) {
  const answers = { rewards, lengths: rewards.map(() => 1) };
  const under = (advantageBaseline: (typeof BASELINES)[number], advantageScale: (typeof SCALES)[number]) =>
    advantagesOf(answers, settingsOf("grpo", { advantageBaseline, advantageScale })).advantages_Q;
  const { mean, std } = summarize(rewards, "sample");
  return {
    rewards,
    mean,
    std,
    advantages: under(baseline, scale),
    /** The same without division, and against the mean of the others. */
    centred: under("group-mean", "none"),
    leaveOneOut: under("leave-one-out", "none"),
  };
}

const STEPS = ["reward", "centred", "advantage"];
const HEADS = ["reward", "reward − mean", "advantage"];
/** The one right answer at the start. */
const RIGHT = 2;

function stateOf(values: Values) {
  const rewards = Array.from({ length: G }, (_, g) => values[`r${g + 1}`]!);
  const group = groupState(rewards, BASELINES[values.baseline!]!, SCALES[values.scale!]!);
  const { mean, std, centred, leaveOneOut, advantages } = group;
  const rows = rewards.map((reward, g) => ({
    answer: String(g + 1),
    reward,
    centred: centred[g]!,
    leaveOneOut: leaveOneOut[g]!,
    advantage: advantages[g]!,
  }));
  return { rows, mean, std, right: rows[RIGHT]!, wrong: rows[0]!, all: rewards.map(measureText).join(", "), squares: std * std * (G - 1) };
}

export const groupAdvantage = defineLesson({
  id: "group-advantage",
  title: "Compared with one's own group",
  question: "A baseline should be the reward that is to be expected, and each prompt has its own. Where does GRPO take it from?",
  minutes: 6,
  intro:
    "GRPO (group relative policy optimisation) samples a whole [[group]] of answers to the *same* prompt and lets them be each other's baseline. The figure is one group of eight: answer 3 is right and earns 1, the other seven are wrong and earn 0.",
  controls: [
    choiceControl("baseline", "Compared with", ["the mean of the group (GRPO)", "the mean of the others (RLOO)"]),
    choiceControl("scale", "Divided by", ["the standard deviation", "nothing"]),
    ...Array.from({ length: G }, (_, g) => {
      const id = `r${g + 1}`;
      const label = `Reward ${g + 1}`;
      return { id, label, min: 0, max: 1, step: 0.05, initial: g === RIGHT ? 1 : 0, show: measureText };
    }),
  ],
  playFrom: { baseline: 0, scale: 0 },
  state: stateOf,
  figureTitle: "One group of eight answers",
  figureHelp:
    "A row for each answer of the group: what it earned, and what the trainer makes of that. To the right is better than the group, to the left worse.",
  figure: ({ rows }, { phase }) => {
    const shown = Math.min(Math.max(phase, 0), 2);
    return [
      { kind: "rows", head: HEADS[shown]!, most: 3, rows, label: "answer {answer}", detail: "`r {reward}`", value: STEPS[shown]! },
      phase >= 0 && "mean {mean}, standard deviation {std}",
    ];
  },
  columns: {
    answer: "answer",
    reward: "reward",
    "minus mean": "centred",
    "minus mean of the others": "leaveOneOut",
    advantage: "advantage",
  },
  answerColumns: ["advantage"],
  prediction: {
    question:
      "GRPO subtracts the mean of the group and divides by its standard deviation. What is the [[advantage]] of answer 3, the one that is right? A rough number will do.",
    ask: { kind: "number", label: "Advantage of answer 3", min: -10, max: 10 },
    judge: (answer, { right: { advantage, centred } }) => {
      const off = Math.abs(answer - advantage);
      const sum = "(1 − {mean}) / {std} = {right.advantage:+}";
      // The division by G instead of G - 1 gives 2.646: the paper does not say which, and either is close.
      if (off <= 0.35) {
        const rough = off > 0.05 ? "Near enough. With G in the standard deviation, where the trainer has G − 1, it is 2.646. " : "";
        return { isRight: true, reason: `${rough}The trainer says ${sum}. Each of the seven wrong answers gets {wrong.advantage:+}.` };
      }
      const slip =
        Math.abs(answer - centred) < 0.06
          ? `${measureText(answer)} is the reward minus the mean. It is then divided by the standard deviation, {std}, and grows.`
          : Math.abs(answer - 1) < 0.06
            ? "1 is the reward itself. What counts is how far it lies above the group, in units of the group's spread."
            : answer <= 0
              ? "The right answer lies above the mean of its group, so its advantage is positive."
              : "";
      const why = `The mean is 1/8 = {mean}, the standard deviation {std}, so the advantage is ${sum}. A rare success stands out.`;
      return { isRight: false, reason: `${slip} ${why}` };
    },
  },
  phases: [
    {
      title: "Score the group",
      loop: { at: ["const judged_P_G"] },
      text: "Eight answers, eight rewards. Their mean is {mean@mean}, their standard deviation {std@std}. Nothing here looks at another prompt: an easy question does not make a hard one look bad.",
    },
    {
      title: "Subtract the mean",
      loop: { at: ["const centre"] },
      text: "With the mean as baseline the right answer keeps 1 − {mean} = **{right.centred:+}**, and each wrong one gets **{wrong.centred:+}**. They add up to 0: what one answer gains, the others lose.",
    },
    {
      title: "Divide by the spread",
      loop: { at: ["const std", "(reward - centre) /"] },
      formula: {
        tex: String.raw`\sym{adv}{\hat A_i} \;=\; \frac{r_i - \sym{mean}{\operatorname{mean}(r_1, \dots, r_G)}}{\sym{std}{\operatorname{std}(r_1, \dots, r_G)}} \qquad \sym{adv}{\hat A_3} = \frac{1 - \sym{mean}{\num{mean}}}{\sym{std}{\num{std}}} = \sym{adv}{\num{right.advantage:+}}`,
        spoken:
          "The advantage of answer i is its reward minus the mean of the group, divided by the standard deviation of the group; here one minus {mean}, over {std}, is {right.advantage:+}",
        symbols: {
          adv: "advantage of answer 3, {right.advantage:+}",
          mean: "mean of the group, {mean}",
          std: "standard deviation of the group, {std}",
        },
      },
      text: `
        G is the number of answers in the group, r_{i} the reward of answer i, Â_{i} its advantage. In units of the spread the right answer has {right.advantage:+@adv}, the wrong ones {wrong.advantage:+}. Every token of an answer gets the answer's advantage. After the division a task that pays 0 or 100 pushes as hard as one that pays 0 or 1; what else it does is a lesson of its own.

        > The trainer divides by the sample's standard deviation (with G − 1) plus 0.0001, as the library TRL does. With G in its place the numbers would be +2.646 and −0.378.`,
    },
    {
      title: "Or leave yourself out",
      set: { baseline: 1, scale: 1 },
      loop: {
        at: ["const centre", "(reward - centre) /"],
        note: "RLOO has the mean of the others for centre, and divides by nothing.",
      },
      formula: {
        tex: String.raw`r_i - \operatorname{mean}(r) \;=\; \frac{G-1}{G}\,\Bigl(r_i - \frac{1}{G-1}\sum_{j \neq i} r_j\Bigr)`,
        spoken: "Reward minus the mean of the group is G minus one over G times the reward minus the mean of the others",
      },
      text: "A baseline does no harm as long as it does not depend on what was drawn. The mean of the group does, by one eighth: the answer's own reward is in it. RLOO (leave one out) compares an answer with the mean of the *others*: {right.leaveOneOut:+} for answer 3. That is 8/7 of {right.centred:+}: the two differ by a constant factor only, which a learning rate makes up for. What GRPO adds is the division by the spread.",
    },
  ],
  play: "Make more answers right, one by one. When does a right answer gain most, and when do the wrong ones lose most? Then give all eight the same reward. Try rewards between 0 and 1, too.",
  transfer: `
    Two prompts, eight answers each. One prompt is hard: 1 of 8 answers is right. The other is easy: 7 of 8 are right. Under GRPO, which single answer is pushed hardest?
    - [x] The right answer to the hard prompt, and equally hard (downwards) the wrong answer to the easy one.
      Both stand alone in their group: about +2.47 and −2.47. GRPO reacts to what is rare within a group, whichever way.
    - [ ] Every right answer equally: they all earned 1.
      Rewards are compared within a group. A right answer among seven right ones is nothing special: about +0.35.
    - [ ] The right answers to the easy prompt: there are more of them.
      There are more of them, but each gets only about +0.35; the one on the hard prompt gets +2.47.`,
  sources: [
    "[Shao et al. 2024, DeepSeekMath, section 4.1.2 (outcome supervision) and equation 3](https://arxiv.org/abs/2402.03300)",
    "[Ahmadian et al. 2024, Back to Basics (RLOO)](https://arxiv.org/abs/2402.14740)",
  ],
  inLoop: {
    judged_P_G: "{all}",
    rewards_G: "{all}",
    reward: "{right.reward} for answer 3",
    centre: "{mean}; answer 3 is {right.centred:+} from it",
    std: "{std}",
    squares: "{squares}",
  },
  train: ({ baseline, scale }) => ({
    preset: "digit-sum-table",
    algorithm: "grpo",
    groupSize: "8",
    advantageBaseline: BASELINES[baseline!]!,
    advantageScale: SCALES[scale!]!,
  }),
});
