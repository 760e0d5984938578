// Lesson 3: the baseline of GRPO is the group. Eight rewards, and what computeAdvantages makes of them.
import { measureText, signedMeasureText } from "../../../protocol/quantities.ts";
import { summarize } from "../../../rl/advantage/statistics.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { advantagesOf, settingsOf } from "../../kit/words/engineNumbers.ts";
import { Term } from "../../kit/words/Term.tsx";
import { SignedRows } from "../figures/SignedRows.tsx";
import { type Control, choiceControl, defineLesson, type Values } from "../lesson/lesson.ts";

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

const rewardControl = (g: number): Control => ({
  id: `r${g + 1}`,
  label: `Reward ${g + 1}`,
  min: 0,
  max: 1,
  step: 0.05,
  initial: g === 2 ? 1 : 0,
  show: measureText,
});

const stateOf = (values: Values) =>
  groupState(
    Array.from({ length: G }, (_, g) => values[`r${g + 1}`]!),
    BASELINES[values.baseline!]!,
    SCALES[values.scale!]!,
  );

/** What a group of one right answer gives under the settings at the start. */
const RIGHT = 2;

export const groupAdvantage = defineLesson({
  id: "group-advantage",
  title: "Compared with one's own group",
  question: "A baseline should be the reward that one can expect, and that is another for each prompt. Where does GRPO take it from?",
  minutes: 6,
  intro: (
    <p>
      GRPO (group relative policy optimisation) samples a whole <Term id="group">group</Term> of answers to the <i>same</i> prompt and lets
      them be each other's baseline. The figure is one group of eight: answer 3 is right and earns 1, the other seven are wrong and earn 0.
    </p>
  ),
  controls: [
    choiceControl("baseline", "Compared with", ["the mean of the group (GRPO)", "the mean of the others (RLOO)"]),
    choiceControl("scale", "Divided by", ["the standard deviation", "nothing"]),
    ...Array.from({ length: G }, (_, g) => rewardControl(g)),
  ],
  playFrom: { baseline: 0, scale: 0 },
  state: stateOf,
  figureTitle: "One group of eight answers",
  figure: ({ rewards, advantages, centred, mean, std }, { phase }) => {
    const shown = phase < 1 ? rewards : phase === 1 ? centred : advantages;
    const head = phase < 1 ? "reward" : phase === 1 ? "reward − mean" : "advantage";
    return (
      <>
        <SignedRows
          head={head}
          most={3}
          rows={rewards.map((reward, g) => ({
            key: String(g),
            label: `answer ${g + 1}`,
            value: shown[g]!,
            detail: <span className="mono">r {measureText(reward)}</span>,
          }))}
        />
        {phase >= 0 && (
          <p>
            mean {measureText(mean)}, standard deviation {measureText(std)}
          </p>
        )}
      </>
    );
  },
  table: ({ rewards, centred, leaveOneOut, advantages }) => ({
    head: ["answer", "reward", "minus mean", "minus mean of the others", "advantage"],
    rows: rewards.map((reward, g) => [String(g + 1), reward, centred[g]!, leaveOneOut[g]!, advantages[g]!]),
  }),
  answerColumns: ["advantage"],
  prediction: {
    text: (
      <p>
        GRPO subtracts the mean of the group and divides by its standard deviation. What is the <Term id="advantage">advantage</Term> of
        answer 3, the one that is right? A rough number will do.
      </p>
    ),
    ask: { kind: "number", label: "Advantage of answer 3", min: -10, max: 10 },
  },
  judge: (answer, { advantages, centred, mean, std }) => {
    const truth = advantages[RIGHT]!;
    const sum = `(1 − ${measureText(mean)}) / ${measureText(std)} = ${signedMeasureText(truth)}`;
    // The division by G instead of G - 1 gives 2.646: the paper does not say which, and either is close.
    if (Math.abs(answer - truth) <= 0.35)
      return {
        isRight: true,
        reason: `${Math.abs(answer - truth) > 0.05 ? "Near enough. With G in the standard deviation, where the trainer has G − 1, it is 2.646. " : ""}The trainer says ${sum}. Each of the seven wrong answers gets ${signedMeasureText(advantages[0]!)}.`,
      };
    const slip =
      Math.abs(answer - centred[RIGHT]!) < 0.06
        ? `${measureText(answer)} is the reward minus the mean. It is then divided by the standard deviation, ${measureText(std)}, and grows.`
        : Math.abs(answer - 1) < 0.06
          ? "1 is the reward itself. What counts is how far it lies above the group, in units of the group's spread."
          : answer <= 0
            ? "The right answer lies above the mean of its group, so its advantage is positive."
            : "";
    return {
      isRight: false,
      reason: `${slip} The mean is 1/8 = ${measureText(mean)}, the standard deviation ${measureText(std)}, so the advantage is ${sum}. A rare success stands out.`,
    };
  },
  phases: [
    {
      title: "Score the group",
      text: ({ mean, std }) => (
        <p>
          Eight answers, eight rewards. Their mean is <SymbolNumber name="mean">{measureText(mean)}</SymbolNumber>, their standard deviation{" "}
          <SymbolNumber name="std">{measureText(std)}</SymbolNumber>. Nothing here looks at another prompt: an easy question does not make a
          hard one look bad.
        </p>
      ),
    },
    {
      title: "Subtract the mean",
      text: ({ centred, mean }) => (
        <p>
          With the mean as baseline the right answer keeps 1 − {measureText(mean)} = <b>{signedMeasureText(centred[RIGHT]!)}</b>, and each
          wrong one gets <b>{signedMeasureText(centred[0]!)}</b>. They add up to 0: what one answer gains, the others lose.
        </p>
      ),
    },
    {
      title: "Divide by the spread",
      formula: ({ mean, std, advantages }) => ({
        tex: String.raw`\sym{adv}{\hat A_i} \;=\; \frac{r_i - \sym{mean}{\operatorname{mean}(r_1, \dots, r_G)}}{\sym{std}{\operatorname{std}(r_1, \dots, r_G)}} \qquad \sym{adv}{\hat A_3} = \frac{1 - \sym{mean}{${measureText(mean)}}}{\sym{std}{${measureText(std)}}} = \sym{adv}{${signedMeasureText(advantages[RIGHT]!).replace("−", "-")}}`,
        spoken: `The advantage of answer i is its reward minus the mean of the group, divided by the standard deviation of the group; here one minus ${measureText(mean)}, over ${measureText(std)}, is ${signedMeasureText(advantages[RIGHT]!)}`,
        symbols: {
          adv: `advantage of answer 3, ${signedMeasureText(advantages[RIGHT]!)}`,
          mean: `mean of the group, ${measureText(mean)}`,
          std: `standard deviation of the group, ${measureText(std)}`,
        },
      }),
      text: ({ advantages }) => (
        <>
          <p>
            G is the number of answers in the group, r<sub>i</sub> the reward of answer i, Â<sub>i</sub> its advantage. In units of the
            spread the right answer has <SymbolNumber name="adv">{signedMeasureText(advantages[RIGHT]!)}</SymbolNumber>, the wrong ones{" "}
            {signedMeasureText(advantages[0]!)}. Every token of an answer gets the answer's advantage. After the division a task that pays 0
            or 100 pushes as hard as one that pays 0 or 1; what else it does is a lesson of its own.
          </p>
          <p className="note">
            The trainer divides by the sample's standard deviation (with G − 1) plus 0.0001, as the library TRL does. With G in its place
            the numbers would be +2.646 and −0.378.
          </p>
        </>
      ),
    },
    {
      title: "Or leave yourself out",
      set: { baseline: 1, scale: 1 },
      formula: () => ({
        tex: String.raw`r_i - \operatorname{mean}(r) \;=\; \frac{G-1}{G}\,\Bigl(r_i - \frac{1}{G-1}\sum_{j \neq i} r_j\Bigr)`,
        spoken: "Reward minus the mean of the group is G minus one over G times the reward minus the mean of the others",
      }),
      text: ({ leaveOneOut, centred }) => (
        <p>
          A baseline does no harm as long as it knows nothing of the draw, and the mean of the group knows an eighth of it: the answer's own
          reward. RLOO (leave one out) compares an answer with the mean of the <i>others</i>: {signedMeasureText(leaveOneOut[RIGHT]!)} for
          answer 3. That is 8/7 of {signedMeasureText(centred[RIGHT]!)}: the two differ by a constant factor only, which a learning rate
          makes up for. What GRPO adds is the division by the spread.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Make more answers right, one by one. When does a right answer gain most, and when do the wrong ones lose most? Then give all eight the
      same reward. Try rewards between 0 and 1, too.
    </p>
  ),
  transfer: {
    text: "Two prompts, eight answers each. Of the hard one, 1 of 8 answers is right; of the easy one, 7 of 8. Under GRPO, which single answer is pushed hardest?",
    options: [
      {
        text: "The right answer to the hard prompt, and equally hard (downwards) the wrong answer to the easy one.",
        isRight: true,
        reason: "Both stand alone in their group: about +2.47 and −2.47. GRPO reacts to what is rare within a group, whichever way.",
      },
      {
        text: "Every right answer equally: they all earned 1.",
        reason: "Rewards are compared within a group. A right answer among seven right ones is nothing special: about +0.35.",
      },
      {
        text: "The right answers to the easy prompt: there are more of them.",
        reason: "There are more of them, but each gets only about +0.35; the one on the hard prompt gets +2.47.",
      },
    ],
  },
  sources: [
    {
      text: "Shao et al. 2024, DeepSeekMath, section 4.1.2 (outcome supervision) and equation 3",
      href: "https://arxiv.org/abs/2402.03300",
    },
    { text: "Ahmadian et al. 2024, Back to Basics (RLOO)", href: "https://arxiv.org/abs/2402.14740" },
  ],
  inLoop: ({ rewards, mean, std, centred }) => ({
    judged_P_G: rewards.map(measureText).join(", "),
    rewards_G: rewards.map(measureText).join(", "),
    reward: `${measureText(rewards[RIGHT]!)} for answer 3`,
    centre: `${measureText(mean)}; answer 3 is ${signedMeasureText(centred[RIGHT]!)} from it`,
    std: measureText(std),
    squares: measureText(std * std * (G - 1)),
  }),
  train: (values) => ({
    preset: "digit-sum-table",
    algorithm: "grpo",
    groupSize: "8",
    advantageBaseline: BASELINES[values.baseline!]!,
    advantageScale: SCALES[values.scale!]!,
  }),
});
