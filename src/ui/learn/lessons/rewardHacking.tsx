// Lesson 9: a reward is a stand-in for what one wants. The reader's policy is trained on one that goes along with being
// right until it is optimised, then on the checker itself, and on one that is right by accident.

import type { RunConfigInput } from "../../../protocol/config.ts";
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { type LabRuns, metricOf, PLAIN, PLAIN_TABLE, tableAddress } from "../../experiment/lab/labRun.ts";
import { Term } from "../../kit/words/Term.tsx";
import { Plot } from "../figures/Plot.tsx";
import { ACCIDENT, CHECKER, DIGITS, EVEN, NINE, PROXIES, TARGET } from "../figures/standIns.ts";
import { choiceControl, defineLesson, oneOf, type Values, verdictOn } from "../lesson/lesson.ts";

const STEPS = 150;
const GROUP_SIZE = 96;
const LEARNING_RATE = 10;
/** Steps at the end of a curve that are averaged. */
const LAST = 10;
/** So steep that a sum beside the target earns next to nothing. */
const SCALE = 0.1;

type Curve = readonly (readonly [number, number])[];

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function stateOf({ proxy }: Values, [run]: LabRuns) {
  const records = run?.records ?? [];
  const reward = metricOf(records, "reward");
  const truth = metricOf(records, "success_rate");
  const answers = (run?.steps[0]?.groups[0]?.trajectories ?? []).map(({ text }) => text);
  return {
    proxy: PROXIES[proxy!]!.name,
    reward,
    truth,
    firstReward: reward[0]?.[1] ?? Number.NaN,
    lastReward: reward.findLast(([, value]) => Number.isFinite(value))?.[1] ?? Number.NaN,
    /** Share of right answers in the last steps. */
    late: meanOf(truth.slice(-LAST).map(([, share]) => share)),
    /** Answers of the last step, and how many 9s one of the group has. */
    samples: answers.slice(0, 6),
    nines: meanOf(answers.map((text) => text.split("9").length - 1)),
  };
}

/** The step in which a curve first reaches one half. */
function halfWay(curve: Curve): string {
  const step = curve.find(([, value]) => value >= 0.5)?.[0];
  return step === undefined ? "in none" : `in step ${step}`;
}

const settingsOf = ({ proxy, steps }: Values): RunConfigInput => ({
  ...PLAIN,
  taskOptions: { length: DIGITS, target: TARGET, scale: SCALE },
  steps: steps!,
  groupSize: GROUP_SIZE,
  learningRate: LEARNING_RATE,
  rewardRules: PROXIES[proxy!]!.rules,
  rewardWeights: PROXIES[proxy!]!.weights,
});

export const rewardHacking = defineLesson({
  id: "reward-hacking",
  title: "You get what you reward",
  question: "The reward goes up and up. Has the policy learnt the task?",
  minutes: 5,
  intro: (
    <>
      <p>
        The task is to say four digits that add up to {TARGET}. That takes a checker; suppose you have none and use a stand-in. Somebody
        noticed that {shareText(EVEN.nineOfRight)} of the right answers have a 9, but only {shareText(EVEN.nine)} of all. With a 9 an answer
        is right in one of {Math.round(1 / EVEN.rightWith)} cases, without in one of {Math.round(1 / EVEN.rightWithout)}. So an answer earns
        1 if it <b>has a 9 in it</b>, else 0.
      </p>
      <p>
        Your run will take {STEPS} steps of {GROUP_SIZE} answers each. The figure will show their mean <Term id="reward">reward</Term>, and
        beside it what nobody measures in such a run: the share of answers that truly add up to {TARGET}.
      </p>
    </>
  ),
  controls: [
    choiceControl(
      "proxy",
      "An answer earns 1 if it",
      PROXIES.map(({ name }) => name),
      NINE,
    ),
    { id: "steps", label: "Steps", min: 25, max: 250, step: 25, initial: STEPS, show: String },
  ],
  runs: (values) => [{ config: { ...PLAIN_TABLE, ...settingsOf(values) }, inspect: [values.steps!] }],
  state: stateOf,
  figureTitle: "What is rewarded, and what was meant",
  figure: ({ proxy, reward, truth, samples }, { phase, values }) =>
    phase < 0 ? (
      <p>The curves of your run will be drawn here.</p>
    ) : (
      <>
        <p>
          Rewarded: an answer that <b>{proxy}</b>
        </p>
        <Plot
          title="Reward and truth"
          x={[1, values.steps!]}
          y={[0, 1]}
          xName="step"
          yName="mean over the group"
          xTicks={[1, Math.round(values.steps! / 2), values.steps!]}
          height={220}
          lines={[
            { name: "reward", look: "main", points: reward },
            { name: `truly ${TARGET}`, look: "second", points: truth },
          ]}
        />
        {phase >= 1 && (
          <p>
            Last step:{" "}
            {samples.map((text, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: answers may be equal
              <span key={i} className="mono lesson-sample">
                {text}
              </span>
            ))}
          </p>
        )}
      </>
    ),
  table: ({ reward, truth }) => ({
    head: ["step", "reward", `truly ${TARGET}`],
    rows: reward.map(([step, value], i) => [String(step), value, truth[i]?.[1] ?? Number.NaN]),
  }),
  prediction: {
    text: (
      <p>
        At first, answers with a 9 are right {Math.round(EVEN.rightWith / EVEN.rightWithout)} times as often as those without. After {STEPS}{" "}
        steps: what will reward and the share of truly right answers have done?
      </p>
    ),
    ask: oneOf([
      "Both rise: most right answers have a 9.",
      "The reward rises to nearly 1; right answers stay as rare as they were, or get rarer.",
      "Neither rises: a reward that has little to do with the task teaches nothing.",
    ]),
  },
  judge: (answer, { lastReward, late }) => {
    const numbers = `In your run the reward ended at ${measureText(lastReward)}. Of even draws of four digits ${shareText(EVEN.right)} are right; of the answers of the last ${LAST} steps it was ${shareText(late)}.`;
    const reasons = [
      "A 9 goes along with being right as long as the digits are drawn evenly. Training changes how they are drawn, and nothing in the reward asks that a 9 go on meaning anything.",
      "The policy does what is rewarded and nothing else.",
      "It teaches a lot: exactly what it says. The gradient does not know what was meant.",
    ];
    return verdictOn(answer, 1, reasons, numbers);
  },
  phases: [
    {
      title: "Reward and truth",
      text: ({ firstReward, lastReward, late }) => (
        <p>
          The reward goes from {measureText(firstReward)} to {measureText(lastReward)}: a curve as one would show in a talk. All that the
          trainer can see says that it learns. The dashed line is what was meant. An even draw is right in {shareText(EVEN.right)} of cases,
          the trained policy in {shareText(late)}.
        </p>
      ),
    },
    {
      title: "What it says now",
      text: ({ samples, nines }) => (
        <p>
          These are answers of the last step: {samples.slice(0, 3).join(", ")} and so on, with {measureText(nines)} nines each on average. A
          9 earns the same in any place, so it was pushed up in all four at once, and three 9s are already more than {TARGET}. This is
          Goodhart's law: a measure that is optimised stops measuring. The policy is not deceiving anybody; it found the shortest way to the
          reward.
        </p>
      ),
    },
    {
      title: "The checker itself",
      set: { proxy: CHECKER },
      text: ({ truth, late, samples }) => (
        <p>
          The same policy, the same steps, but now an answer earns 1 if it <b>adds up to {TARGET}</b>. Of the last {LAST} steps' answers{" "}
          {shareText(late)} are right, such as {samples[0]}. It is slower than the stand-in, since at first only {shareText(EVEN.right)} of
          the answers earn anything: the share of right ones first reaches one half {halfWay(truth)}. So the policy could learn the task all
          along. It was not asked to.
        </p>
      ),
    },
    {
      title: "Right by accident",
      set: { proxy: ACCIDENT },
      text: ({ late, samples }) => (
        <p>
          A stand-in that knows nothing of {TARGET}: a 9 with a 3 somewhere after it. Yet right answers end at {shareText(late)}. It says{" "}
          {samples.slice(0, 3).join(", ")}: two 9s and two 3s are a safe way to have a 9 before a 3, and 9 + 9 + 3 + 3 happens to be{" "}
          {TARGET}. Had the task asked for another sum, the same training would still say so and be wrong. A score that rises does not yet
          say that the reward taught the task. To know, change what the accident hangs on, here the target, and train again.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Try two equal digits at the beginning. How could you have told good runs from bad ones without the dashed line? (Usual answers: read
      what the policy says, and check some of it by hand.)
    </p>
  ),
  playFrom: { proxy: 1 },
  transfer: {
    text: "A paper reports that rewarding at random raised one model's score on a maths benchmark by 21 points. What is the most careful reading?",
    options: [
      {
        text: "The reward hardly matters for learning to reason.",
        reason: "One model is one case, as 9933 was. With others random rewards did nothing.",
      },
      {
        text: "The benchmark must be wrong.",
        reason: "The score was real. The step from score to cause is what has to be checked, by changing what should not matter.",
      },
      {
        text: "With that model something else than what the reward says moved the score; other models have to be tried.",
        isRight: true,
        reason:
          "It was so: the gain appeared with Qwen2.5-Math and not with Llama 3 or OLMo 2. What an update amplifies depends on what the model does already.",
      },
    ],
  },
  sources: [
    { text: "Gao et al. 2022, Scaling Laws for Reward Model Overoptimization", href: "https://arxiv.org/abs/2210.10760" },
    { text: "Shao et al. 2025, Spurious Rewards: Rethinking Training Signals in RLVR", href: "https://arxiv.org/abs/2506.10947" },
  ],
  inLoop: ({ proxy, lastReward, samples, late }) => ({
    rewards: `1 for an answer that ${proxy}`,
    rewards_P_G: `${measureText(lastReward)} on average in the last step`,
    meanReward: `${measureText(lastReward)} in the last step; truly right ${shareText(late)}`,
    sampled: samples.join(", "),
  }),
  train: (values) => tableAddress(settingsOf(values)),
});
