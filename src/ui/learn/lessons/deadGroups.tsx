// Lesson 4: groups whose answers all earned the same. Their share follows from the chance of one answer; the reader's
// own run is drawn onto the curve.
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { noSpreadChance } from "../../../rl/advantage/statistics.ts";
import { type LabRuns, oneDigitRun, RIGHT_DIGIT, tableAddress } from "../../experiment/lab/labRun.ts";
import { SymbolNumber } from "../../kit/formula/symbolScope.tsx";
import { Term } from "../../kit/words/Term.tsx";
import { Plot } from "../figures/Plot.tsx";
import { defineLesson, type Values } from "../lesson/lesson.ts";

const STEPS = 30;
const PROMPTS = 32;
const AT_START = 0.1;

function stateOf({ G, p }: Values, [run]: LabRuns) {
  // Share of right answers and of dead groups, step by step.
  const measured = (run?.records ?? []).map(({ metrics }) => [metrics.success_rate ?? 0, metrics.frac_reward_zero_std ?? 0] as const);
  return {
    G: G!,
    p: p!,
    chance: noSpreadChance(p!, G!),
    measured,
    pushes: (run?.records ?? []).map(({ metrics }) => metrics.grad_norm ?? 0),
  };
}

const settingsOf = ({ G }: Values) => ({ groupSize: G!, promptsPerStep: PROMPTS, steps: STEPS, learningRate: 2 });

const GRID = Array.from({ length: 61 }, (_, i) => i / 60);
const OTHERS = [2, 4, 8, 16, 32];
/** Where the curves are named: at a chance of one in ten they lie well apart. */
const MARKED = 6;

export const deadGroups = defineLesson({
  id: "dead-groups",
  title: "Groups that teach nothing",
  question: "What does the policy learn from a group in which every answer is wrong? And from one in which every answer is right?",
  minutes: 5,
  intro: (
    <p>
      The run of this lesson asks for one digit and rewards a single one of them: 6 earns 1, all others 0. The policy, a table of logits as
      before, starts even, so one answer in ten is right. Each step samples {PROMPTS} groups of eight answers. A group whose answers all
      earned the same is called dead.
    </p>
  ),
  controls: [
    { id: "G", label: "Group size G", min: 2, max: 32, step: 1, initial: 8, show: String },
    { id: "p", label: "Chance p of one", min: 0, max: 1, step: 0.01, initial: AT_START, show: shareText },
  ],
  runs: (values) => [{ config: oneDigitRun(settingsOf(values)), inspect: [] }],
  state: stateOf,
  figureTitle: "Share of groups without any spread",
  figure: ({ G, p, chance, measured }, { phase }) => (
    <>
      <Plot
        title="Dead groups"
        x={[0, 1]}
        y={[0, 1]}
        xName="share p of right answers"
        yName="share of groups with equal rewards"
        height={260}
        lines={
          phase < 0
            ? []
            : [
                ...OTHERS.filter((size) => size !== G && phase >= 3).map((size) => ({
                  name: `G = ${size}`,
                  look: "faint" as const,
                  mark: { at: MARKED, text: `G = ${size}` },
                  points: GRID.map((x) => [x, noSpreadChance(x, size)] as const),
                })),
                { name: `G = ${G}, by the formula`, look: "main" as const, points: GRID.map((x) => [x, noSpreadChance(x, G)] as const) },
              ]
        }
        dots={measured.length > 0 ? [{ name: "your run, step by step", points: measured, look: "main" }] : []}
        {...(phase >= 0 ? { cross: [p, chance] as const } : {})}
      />
      {phase >= 0 && (
        <p>
          p = <SymbolNumber name="p">{shareText(p)}</SymbolNumber>, G = <SymbolNumber name="G">{G}</SymbolNumber>:{" "}
          <SymbolNumber name="dead">{shareText(chance)}</SymbolNumber> of the groups teach nothing.
        </p>
      )}
    </>
  ),
  table: ({ measured, G }) => ({
    head: ["step", "right answers", "dead groups", "by the formula, at that share"],
    rows: measured.map(([right, dead], i) => [String(i + 1), shareText(right), shareText(dead), shareText(noSpreadChance(right, G))]),
  }),
  prediction: {
    text: (
      <p>
        In the first step one answer in ten is right. In what share of the groups of eight do <b>all</b> answers earn the same? Your run
        will tell.
      </p>
    ),
    ask: { kind: "number", label: "Share, such as 20 % or 0.2", min: 0, max: 1 },
  },
  judge: (answer, { measured, chance, G, p }) => {
    const [, dead] = measured[0] ?? [Number.NaN, Number.NaN];
    const numbers = (
      <>
        In the first step of your run {shareText(dead)} of {PROMPTS} groups had equal rewards. What one expects is {1 - p}
        <sup>{G}</sup> (all wrong) + {p}
        <sup>{G}</sup> (all right) = {shareText(chance)}.
      </>
    );
    if (Math.abs(answer - chance) <= 0.1) return { isRight: true, reason: numbers };
    return {
      isRight: false,
      reason: (
        <>
          {answer < chance
            ? "It is more, since all eight wrong is common when one is right only one time in ten: 0.9 eight times over is still 0.43."
            : "It is less: eight tries are enough for more than half of the groups to have at least one right answer."}{" "}
          {numbers}
        </>
      ),
    };
  },
  phases: [
    {
      title: "Two ways to have no spread",
      formula: ({ G, p, chance }) => ({
        tex: String.raw`\sym{dead}{P(\text{no spread})} \;=\; \sym{p}{p}^{\sym{G}{G}} + (1 - \sym{p}{p})^{\sym{G}{G}} \;=\; \sym{dead}{${measureText(chance)}}`,
        spoken: "The chance of no spread is p to the power of G plus one minus p to the power of G",
        symbols: {
          dead: `share of dead groups, ${shareText(chance)}`,
          p: `chance of a right answer, ${shareText(p)}`,
          G: `group size, ${G}`,
        },
      }),
      text: ({ measured }) => (
        <p>
          A group is dead where all answers are right or all are wrong. The curve is this formula for G = 8. The dots are the{" "}
          {measured.length} steps of your run, each at the share of right answers that it saw; it begins at the left and ends at the right,
          as it learns.
        </p>
      ),
    },
    {
      title: "Why they teach nothing",
      text: () => (
        <p>
          An <Term id="advantage">advantage</Term> is the reward minus the group's mean, divided by the group's spread. With equal rewards
          both are 0. The trainer adds 0.0001 to the spread, so that 0 divided by it stays 0: the advantage of each answer, and with it the
          gradient of every token. Eight wrong answers push nothing down: there was nothing better in the group to compare them with.
        </p>
      ),
    },
    {
      title: "A run goes through both",
      text: ({ measured, pushes }) => {
        const least = measured.reduce((best, [, dead], i) => (dead < measured[best]![1] ? i : best), 0);
        return (
          <p>
            Early on your run wasted groups that were all wrong, at its end groups that were all right:{" "}
            {shareText(measured.at(-1)?.[1] ?? Number.NaN)} in the last step. Its gradient was large in between: in step {least + 1}, with{" "}
            {shareText(measured[least]?.[0] ?? Number.NaN)} right, {shareText(measured[least]?.[1] ?? Number.NaN)} were dead and its norm
            was {measureText(pushes[least] ?? Number.NaN)}, against {measureText(pushes.at(-1) ?? Number.NaN)} at the end.
          </p>
        );
      },
    },
    {
      title: "Larger groups",
      set: { G: 16 },
      text: ({ chance, p, measured }) => (
        <p>
          Your run again with sixteen answers per group. At p = {shareText(p)} the formula says <b>{shareText(chance)}</b>; in the first
          step {shareText(measured[0]?.[0] ?? Number.NaN)} of the answers were right and {shareText(measured[0]?.[1] ?? Number.NaN)} of the
          groups dead. The price is twice the sampling. For very hard prompts it helps little: at p = 1 %,{" "}
          {shareText(noSpreadChance(0.01, 16))} of groups of sixteen are dead.
        </p>
      ),
    },
  ],
  play: (
    <p>
      Move p to a prompt that the policy nearly always gets right, 95 %. How large must a group be before half of them teach something? Then
      try 99 %: is the largest group enough? And why does the curve look the same at 1 %?
    </p>
  ),
  transfer: {
    text: "Your training set has many problems that the model never solves and many that it always solves. Reward is 1 or 0. Which problems does GRPO learn from?",
    options: [
      {
        text: "Mostly those that it never solves: there is most to learn.",
        reason: "There would be, but no answer in such a group is better than another, so every advantage is 0.",
      },
      {
        text: "All alike: a reward of 0 pushes wrong answers down, a reward of 1 pushes right ones up.",
        reason: "Rewards push only by their difference from the group's mean. All 0 or all 1 means no difference.",
      },
      {
        text: "Mostly those that it solves sometimes.",
        isRight: true,
        reason:
          "Only groups with both outcomes have any advantage. That is why some trainers choose such prompts, or throw dead groups away and sample others (DAPO, a later lesson).",
      },
    ],
  },
  sources: [
    { text: "Yu et al. 2025, DAPO, section 3.2", href: "https://arxiv.org/abs/2503.14476" },
    { text: "Shao et al. 2024, DeepSeekMath, section 4.1.2", href: "https://arxiv.org/abs/2402.03300" },
  ],
  inLoop: ({ G, chance, measured, pushes }) => ({
    G: String(G),
    rewards_G: `all equal in ${shareText(measured[0]?.[1] ?? Number.NaN)} of the groups of step 1; ${shareText(chance)} by the formula`,
    A: "0 in a group of equal rewards",
    push: "0 in a group of equal rewards",
    gradNorm: `${measureText(pushes[0] ?? Number.NaN)} in the first step, ${measureText(pushes.at(-1) ?? Number.NaN)} in the last`,
  }),
  train: (values) => tableAddress({ ...RIGHT_DIGIT, ...settingsOf(values) }),
});
