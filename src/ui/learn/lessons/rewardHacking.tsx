// Lesson 9: a reward is a stand-in for what one wants. The reader chooses one, the policy is trained on it, and only
// then is the share of answers shown that are truly right.

import type { RunConfigInput } from "../../../protocol/config.ts";
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { Term } from "../../words/Term.tsx";
import { Plot } from "../figures/Plot.tsx";
import { type LabRuns, PLAIN_TABLE } from "../labRun.ts";
import { defineLesson, type Values } from "../lesson.ts";
import { lastOf, metricOf } from "../tableTask.ts";

const STEPS = 120;

interface Proxy {
  readonly name: string;
  readonly rules: NonNullable<RunConfigInput["rewardRules"]>;
  readonly weights: NonNullable<RunConfigInput["rewardWeights"]>;
}

/** What is rewarded in place of "four digits that add up to 18". */
const PROXIES: readonly Proxy[] = [
  { name: "has a 9 in it", rules: { pattern: { pattern: "9" } }, weights: { sumCloseness: 0, pattern: 1 } },
  { name: "begins with two equal digits", rules: { pattern: { pattern: "^(.)\\1" } }, weights: { sumCloseness: 0, pattern: 1 } },
  { name: "has a 9, then a 0", rules: { pattern: { pattern: "9.*0" } }, weights: { sumCloseness: 0, pattern: 1 } },
  { name: "is near 18 (the honest one)", rules: {}, weights: { sumCloseness: 1 } },
];

interface HackState {
  readonly proxy: string;
  readonly reward: readonly (readonly [number, number])[];
  readonly truth: readonly (readonly [number, number])[];
  readonly lastReward: number;
  readonly early: number;
  readonly late: number;
  readonly samples: readonly string[];
}

/** Mean of the first or last tenth of a curve. */
function meanOf(points: readonly (readonly [number, number])[]): number {
  return points.reduce((sum, [, value]) => sum + value, 0) / Math.max(1, points.length);
}

function stateOf({ proxy }: Values, [run]: LabRuns): HackState {
  const records = run?.records ?? [];
  const truth = metricOf(records, "success_rate");
  return {
    proxy: PROXIES[proxy!]!.name,
    reward: metricOf(records, "reward"),
    truth,
    lastReward: lastOf(records, "reward"),
    early: meanOf(truth.slice(0, 12)),
    late: meanOf(truth.slice(-12)),
    samples: (run?.steps[0]?.groups[0]?.trajectories ?? []).slice(0, 6).map(({ text }) => text),
  };
}

const configOf = ({ proxy, steps }: Values): RunConfigInput => ({
  ...PLAIN_TABLE,
  steps: steps!,
  learningRate: 1,
  rewardRules: PROXIES[proxy!]!.rules,
  rewardWeights: PROXIES[proxy!]!.weights,
});

export const rewardHacking = defineLesson<HackState>({
  id: "reward-hacking",
  title: "You get what you reward",
  question: "The reward goes up and up. Has the policy learnt the task?",
  minutes: 5,
  intro: (
    <>
      <p>
        The task is to say four digits that add up to 18. That takes a checker; suppose you have none and use a stand-in. Somebody noticed
        that many right answers contain a 9, so an answer earns 1 if it <b>has a 9 in it</b>, else 0.
      </p>
      <p>
        The figure will show the <Term id="reward">reward</Term> of {STEPS} steps. What nobody measures in such a run, the share of answers
        that truly add up to 18, stays hidden at first.
      </p>
    </>
  ),
  controls: [
    { id: "proxy", label: "An answer earns 1 if it", min: 0, max: 3, step: 1, initial: 0, options: PROXIES.map(({ name }) => name) },
    { id: "steps", label: "Steps", min: 20, max: 240, step: 20, initial: STEPS, show: String },
  ],
  runs: (values) => [{ config: configOf(values), inspect: [values.steps!] }],
  state: stateOf,
  figureTitle: "What is rewarded, and what was meant",
  figure: ({ proxy, reward, truth, samples }, { phase, values }) =>
    phase < 0 ? (
      <p>The reward curve of your run will be drawn here.</p>
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
          height={220}
          lines={[
            { name: "reward", look: "main", points: reward },
            ...(phase >= 1 ? [{ name: "truly 18", look: "second" as const, points: truth }] : []),
          ]}
        />
        {phase >= 2 && (
          <p>
            Sampled in the last step:{" "}
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
    head: ["step", "reward", "truly 18"],
    rows: reward.map(([step, value], i) => [String(step), value, truth[i]?.[1] ?? Number.NaN]),
  }),
  prediction: {
    text: <p>After {STEPS} steps: what will reward and the share of truly right answers have done?</p>,
    ask: {
      kind: "choice",
      options: [
        "Both rise: 9s are part of many right answers.",
        "The reward rises to nearly 1; right answers stay as rare as they were, or get rarer.",
        "Neither rises: a reward that has little to do with the task teaches nothing.",
      ],
    },
  },
  judge: (answer, { lastReward, early, late }) => {
    const numbers = `In your run the reward ended at ${measureText(lastReward)}; truly right were ${shareText(early)} of the answers in the first dozen steps and ${shareText(late)} in the last.`;
    return {
      isRight: answer === 1,
      reason: (
        <p>
          {answer === 1
            ? "The policy does what is rewarded and nothing else."
            : answer === 0
              ? "Having a 9 goes along with being right among even answers. Optimised for itself, it does not stay so: the cheapest way to a 9 is to say 9 somewhere and not to care about the rest."
              : "It teaches a lot: exactly what it says. The gradient does not know what was meant."}{" "}
          {numbers}
        </p>
      ),
    };
  },
  phases: [
    {
      title: "The reward",
      text: ({ reward, lastReward }) => (
        <p>
          From {measureText(reward[0]?.[1] ?? Number.NaN)} to {measureText(lastReward)}: a curve as one would show in a talk. Everything
          that the trainer can see says that it learns.
        </p>
      ),
    },
    {
      title: "The truth",
      text: ({ early, late }) => (
        <p>
          The dashed line is what was meant. It was {shareText(early)} in the first dozen steps and is {shareText(late)} in the last dozen.
          An even draw of four digits is right in 6.7 % of cases, so next to nothing was learnt of the task.
        </p>
      ),
    },
    {
      title: "What it says now",
      text: ({ samples }) => (
        <p>
          These are answers of the last step: {samples.slice(0, 3).join(", ")} and so on. This is Goodhart's law: a measure that is
          optimised stops measuring. The policy is not deceiving anybody; it found the shortest way to the reward.
        </p>
      ),
    },
    {
      title: "Another stand-in",
      set: { proxy: 2 },
      text: ({ lastReward, early, late }) => (
        <p>
          A cleverer rule, a 9 with a 0 somewhere after it. The reward ends at {measureText(lastReward)}, right answers at {shareText(late)}{" "}
          (from {shareText(early)}). A rule that comes nearer helps a little, until it too has been met in the cheapest way.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Try the other rules, and the honest one last. How could you have told the runs apart without the dashed line? (A set of problems with
      a real checker, kept apart, is the usual answer.)
    </p>
  ),
  transfer: {
    text: "A paper reports that rewarding at random raised a model's score on a maths benchmark by 21 points. What is the most careful reading?",
    options: [
      {
        text: "For that model something else than the reward's information moved the score; other models have to be tried.",
        isRight: true,
        reason:
          "It was so: the gain appeared with Qwen2.5-Math and not with Llama 3 or OLMo 2. A rise in a score is not yet learning from the reward.",
      },
      {
        text: "The reward hardly matters for learning to reason.",
        reason: "With other models random rewards did nothing. What the update amplifies depends on what the model already does.",
      },
      {
        text: "The benchmark must be wrong.",
        reason: "The score was real. The step from score to cause is what has to be checked, with controls.",
      },
    ],
  },
  sources: [
    { text: "Gao et al. 2022, Scaling Laws for Reward Model Overoptimization", href: "https://arxiv.org/abs/2210.10760" },
    { text: "Shao et al. 2025, Spurious Rewards: Rethinking Training Signals in RLVR", href: "https://arxiv.org/abs/2506.10947" },
  ],
  inLoop: ({ proxy, lastReward, samples, early, late }) => ({
    rewards: `1 for an answer that ${proxy}`,
    rewards_P_G: `${measureText(lastReward)} on average in the last step`,
    meanReward: `${measureText(lastReward)} in the last step; truly right ${shareText(early)} at first, ${shareText(late)} at last`,
    sampled: samples.join(", "),
  }),
  train: ({ proxy, steps }) => ({
    preset: "digit-sum-table",
    algorithm: "grpo",
    klCoef: "0",
    groupSize: "24",
    steps: String(steps),
    learningRate: "1",
    optimizer: "sgd",
    maxGradNorm: "0",
    rewardRules: JSON.stringify(PROXIES[proxy!]!.rules),
    ...Object.fromEntries(Object.entries(PROXIES[proxy!]!.weights).map(([name, weight]) => [`reward.${name}`, String(weight)])),
  }),
});
