// A reward is a stand-in for what one wants. The reader's policy is trained on one that goes along with being
// right until it is optimised, then on the checker itself, and on one that is right by accident.
import type { RunConfigInput } from "../../../protocol/config.ts";
import { shareText } from "../../../protocol/quantities.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { metricRows, PLAIN_TABLE, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { curves } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import { choiceControl, type Values } from "../lesson/parts.ts";

const DIGITS = 4;
const TARGET = 24;

const byPattern = (name: string, pattern: string) => ({
  name,
  rules: { pattern: { pattern } },
  weights: { sumCloseness: 0, pattern: 1 },
});

/** Places of those that the phases need. */
const NINE = 0;
const ACCIDENT = 2;
const CHECKER = 3;

/** What is rewarded, the checker last. */
const PROXIES: readonly {
  readonly name: string;
  readonly rules: NonNullable<RunConfigInput["rewardRules"]>;
  readonly weights: NonNullable<RunConfigInput["rewardWeights"]>;
}[] = [
  byPattern("has a 9 in it", "9"),
  byPattern("begins with two equal digits", "^(.)\\1"),
  byPattern("has a 9, then a 3", "9.*3"),
  { name: `adds up to ${TARGET} (the checker)`, rules: {}, weights: { sumCloseness: 1 } },
];

/** Of all answers: the share that is right, that has a 9, that is right among those with and without, and has a 9 among the right. */
function countAnswers() {
  const count = { all: 10 ** DIGITS, right: 0, nine: 0, both: 0 };
  for (let answer = 0; answer < count.all; answer++) {
    const digits = Array.from({ length: DIGITS }, (_, i) => Math.floor(answer / 10 ** i) % 10);
    const isRight = digits.reduce((sum, digit) => sum + digit, 0) === TARGET;
    const hasNine = digits.includes(9);
    count.right += Number(isRight);
    count.nine += Number(hasNine);
    count.both += Number(isRight && hasNine);
  }
  return {
    right: count.right / count.all,
    nine: count.nine / count.all,
    nineOfRight: count.both / count.right,
    rightWith: count.both / count.nine,
    rightWithout: (count.right - count.both) / (count.all - count.nine),
  };
}

const EVEN = countAnswers();

const STEPS = 150;
const GROUP_SIZE = 96;
/** Steps at the end of a curve that are averaged. */
const LAST = 10;

function stateOf({ proxy }: Values, [run]: SmallRuns) {
  const rows = metricRows(run, { reward: "reward", truth: "success_rate" });
  const answers = (run?.steps[0]?.groups[0]?.trajectories ?? []).map(({ text }) => text);
  const half = rows.find(({ truth }) => truth >= 0.5);
  return {
    rows,
    proxy: PROXIES[proxy!]!.name,
    first: rows[0]?.reward ?? Number.NaN,
    last: rows.findLast(({ reward }) => Number.isFinite(reward))?.reward ?? Number.NaN,
    /** Share of right answers in the last steps, and the step in which it first reaches one half. */
    late: meanOf(rows.slice(-LAST).map(({ truth }) => truth)),
    half: half ? `in step ${half.step}` : "in none",
    /** Answers of the last step, and how many 9s one of the group has. */
    answers: answers.slice(0, 6),
    three: answers.slice(0, 3).join(", "),
    six: answers.slice(0, 6).join(", "),
    nines: meanOf(answers.map((text) => text.split("9").length - 1)),
  };
}

const settingsOf = ({ proxy, steps }: Values): RunConfigInput => ({
  ...PLAIN_TABLE,
  // So steep that a sum beside the target earns next to nothing.
  taskOptions: { length: DIGITS, target: TARGET, scale: 0.1 },
  steps: steps!,
  groupSize: GROUP_SIZE,
  learningRate: 10,
  rewardRules: PROXIES[proxy!]!.rules,
  rewardWeights: PROXIES[proxy!]!.weights,
});

const NAMES = PROXIES.map(({ name }) => name);
const NUMBERS = `In your run the reward ended at {last}. Of answers drawn at random ${shareText(EVEN.right)} are right; of the answers of the last ${LAST} steps {late:%} were.`;

export const rewardHacking = defineLesson({
  id: "reward-hacking",
  title: "You get what you reward",
  question: "The reward goes up and up. Has the policy learnt the task?",
  minutes: 5,
  intro: `
    The task is to say four digits that add up to ${TARGET}. That takes a checker; suppose you have none and use a stand-in. Somebody noticed that ${shareText(EVEN.nineOfRight)} of the right answers have a 9, but only ${shareText(EVEN.nine)} of all. With a 9 an answer is right in one of ${Math.round(1 / EVEN.rightWith)} cases, without in one of ${Math.round(1 / EVEN.rightWithout)}. So an answer earns 1 if it **has a 9 in it**, else 0.

    Your run will take ${STEPS} steps of ${GROUP_SIZE} answers each. The figure will show their mean [[reward]], and beside it what nobody measures in such a run: the share of answers that truly add up to ${TARGET}.`,
  controls: [
    choiceControl("proxy", "An answer earns 1 if it", NAMES, NINE),
    { id: "steps", label: "Steps", min: 25, max: 250, step: 25, initial: STEPS, show: String },
  ],
  runs: (values) => [{ config: settingsOf(values), inspect: [values.steps!] }],
  state: stateOf,
  figureTitle: "What is rewarded, and what was meant",
  figureHelp: "Over the steps of your run: the mean reward, and the share of answers that are truly right, which the run never sees.",
  figure: ({ rows, answers }, { phase, values }) => {
    const steps = values.steps!;
    if (phase < 0) return ["The curves of your run will be drawn here."];
    return [
      "Rewarded: an answer that **{proxy}**",
      curves(
        rows,
        steps,
        [0, 1, "mean over the group"],
        [
          ["reward", "reward", "main"],
          [`truly ${TARGET}`, "truth", "second"],
        ],
        220,
      ),
      phase >= 1 && `Last step: ${answers.map((answer) => `\`${answer}\``).join("")}`,
    ];
  },
  picture: [
    {
      kind: "bars",
      rows: [
        { answers: "9", right: EVEN.rightWith },
        { answers: "no 9", right: EVEN.rightWithout },
        { answers: "all", right: EVEN.right },
      ],
      label: "answers",
      value: "right",
      most: EVEN.rightWith,
      picked: 0,
    },
  ],
  columns: { step: "step", reward: "reward", [`truly ${TARGET}`]: "truth" },
  prediction: {
    question: `
      At first, answers with a 9 are right ${Math.round(EVEN.rightWith / EVEN.rightWithout)} times as often as those without. After ${STEPS} steps: what will reward and the share of truly right answers have done?
      - [ ] Both rise: most right answers have a 9.
        A 9 goes along with being right as long as the digits are drawn evenly. Training changes how they are drawn, and nothing in the reward asks that a 9 go on meaning anything. ${NUMBERS}
      - [x] The reward rises to nearly 1; right answers stay as rare as they were, or get rarer.
        The policy does what is rewarded and nothing else. ${NUMBERS}
      - [ ] Neither rises: a reward that has little to do with the task teaches nothing.
        It teaches a lot: exactly what it says. The gradient does not know what was meant. ${NUMBERS}`,
  },
  phases: [
    {
      title: "Reward and truth",
      loop: { at: ["const judged_P_G", "const meanReward"], note: "No line of the loop knows which answers are truly right." },
      text: `The reward goes from {first} to {last}: a curve as one would show in a talk. All that the trainer can see says that it learns. The dashed line is what was meant. A random answer is right in ${shareText(EVEN.right)} of cases, the trained policy in {late:%}.`,
    },
    {
      title: "What it says now",
      loop: { at: ["const sampled"] },
      text: `These are answers of the last step: {three} and so on, with {nines} nines each on average. A 9 earns the same in any place, so it was pushed up in all four at once, and three 9s are already more than ${TARGET}. This is Goodhart's law: a measure that is optimised stops measuring. The policy is not deceiving anybody; it found the shortest way to the reward.`,
    },
    {
      title: "The checker itself",
      set: { proxy: CHECKER },
      loop: { at: ["const judged_P_G"] },
      text: `The same policy, the same steps, but now an answer earns 1 if it **adds up to ${TARGET}**. Of the last ${LAST} steps' answers {late:%} are right, such as {answers.0}. It is slower than the stand-in, since at first only ${shareText(EVEN.right)} of the answers earn anything: the share of right ones first reaches one half {half}. So the policy could learn the task all along. It was not asked to.`,
    },
    {
      title: "Right by accident",
      set: { proxy: ACCIDENT },
      loop: { at: ["const judged_P_G", "const meanReward"] },
      text: `A stand-in that knows nothing of ${TARGET}: a 9 with a 3 somewhere after it. Yet right answers end at {late:%}. It says {three}: two 9s and two 3s are a safe way to have a 9 before a 3, and 9 + 9 + 3 + 3 happens to be ${TARGET}. Had the task asked for another sum, the same training would still say so and be wrong. A score that rises does not yet say that the reward taught the task. To find out, change what the accident depends on, here the target, and train again.`,
    },
  ],
  play: "Try two equal digits at the beginning. How could you have told good runs from bad ones without the dashed line? (Usual answers: read what the policy says, and check some of it by hand.)",
  playFrom: { proxy: 1 },
  transfer: `
    A paper reports that rewarding at random raised one model's score on a maths benchmark by 21 points. What is the most careful reading?
    - [ ] The reward hardly matters for learning to reason.
      One model is one case, as 9933 was. With other models random rewards did nothing.
    - [ ] The benchmark must be wrong.
      The score was real. The step from score to cause is what has to be checked, by changing what should not matter.
    - [x] With that model something else than what the reward says moved the score; other models have to be tried.
      It was so: the gain appeared with Qwen2.5-Math and not with Llama 3 or OLMo 2. What an update amplifies depends on what the model does already.`,
  sources: [
    "[Gao et al. 2022, Scaling Laws for Reward Model Overoptimization](https://arxiv.org/abs/2210.10760)",
    "[Shao et al. 2025, Spurious Rewards: Rethinking Training Signals in RLVR](https://arxiv.org/abs/2506.10947)",
  ],
  inLoop: {
    rewards: "1 for an answer that {proxy}",
    rewards_P_G: "{last} on average in the last step",
    meanReward: "{last} in the last step; truly right {late:%}",
    sampled: "{six}",
  },
});
