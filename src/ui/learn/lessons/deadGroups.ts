// Groups whose answers all earned the same. Their share follows from the chance of one answer; the reader's
// own run is drawn onto the curve.
import { shareText } from "../../../protocol/quantities.ts";
import { noSpreadChance } from "../../../rl/advantage/statistics.ts";
import { metricRows, oneDigitRun, type SmallRuns } from "../../experiment/small/smallRun.ts";
import { points } from "../figures/FigurePlot.tsx";
import { defineLesson } from "../lesson/lesson.tsx";
import type { Values } from "../lesson/parts.ts";

const PROMPTS = 32;
const AT_START = 0.1;

const settingsOf = ({ G }: Values) => ({ groupSize: G!, promptsPerStep: PROMPTS, steps: 30, learningRate: 2 });

function stateOf({ G, p }: Values, [run]: SmallRuns) {
  const rows = metricRows(run, { right: "success_rate", dead: "frac_reward_zero_std", gradNorm: "grad_norm" }).map((row) => ({
    ...row,
    formula: noSpreadChance(row.right, G!),
  }));
  const best = rows.toSorted((a, b) => a.dead - b.dead)[0];
  const first = rows[0];
  const last = rows.at(-1);
  return { rows, first, best, last, steps: rows.length, chance: noSpreadChance(p!, G!), wrong: String(1 - p!), share: String(p) };
}

const GRID = Array.from({ length: 61 }, (_, i) => i / 60);
const curve = (size: number) => GRID.map((x) => [x, noSpreadChance(x, size)] as const);
const OTHERS = [2, 4, 8, 16, 32];
/** Where the curves are named: at a chance of one in ten they lie well apart. */
const MARKED = 6;

export const deadGroups = defineLesson({
  id: "dead-groups",
  title: "Groups that teach nothing",
  question: "What does the policy learn from a group in which every answer is wrong? And from one in which every answer is right?",
  minutes: 5,
  intro: `The run of this lesson asks for one digit and rewards a single one of them: 6 earns 1, all others 0. The policy is a table of logits as before. At first all digits are equally likely, so one answer in ten is right. Each step samples ${PROMPTS} groups of eight answers. A group whose answers all earned the same is called dead.`,
  controls: [
    { id: "G", label: "Group size G", min: 2, max: 32, step: 1, initial: 8, show: String },
    { id: "p", label: "Chance p of one", min: 0, max: 1, step: 0.01, initial: AT_START, show: shareText },
  ],
  runs: (values) => [{ config: oneDigitRun(settingsOf(values)), inspect: [] }],
  state: stateOf,
  figureTitle: "Share of groups without any spread",
  figureHelp:
    "The share of groups whose answers all earned the same, over the chance that one answer is right: by the formula, and in the steps of your run.",
  figure: ({ rows, chance }, { phase, values: { G, p } }) => {
    const others = OTHERS.filter((size) => size !== G && phase >= 3);
    const faint = others.map((size) => {
      const name = `G = ${size}`;
      return { name, look: "faint", mark: { at: MARKED, text: name }, points: curve(size) } as const;
    });
    return [
      {
        kind: "plot",
        title: "Dead groups",
        x: [0, 1, "share p of right answers"],
        y: [0, 1, "share of groups with equal rewards"],
        height: 260,
        lines: [...faint, phase >= 0 && { name: `G = ${G}, by the formula`, look: "main", points: curve(G!) }],
        dots: rows.length > 0 ? [{ name: "your run, step by step", points: points(rows, "right", "dead"), look: "plain" }] : [],
        cross: phase >= 0 ? [p!, chance] : undefined,
      },
      phase >= 0 && "p = {p:%@p}, G = {G@G}: {chance:%@dead} of the groups teach nothing.",
    ];
  },
  columns: { step: "step:#", "right answers": "right:%", "dead groups": "dead:%", "by the formula, at that share": "formula:%" },
  prediction: {
    question:
      "In the first step one answer in ten is right. In what share of the groups of eight do **all** answers earn the same? Your run will tell.",
    ask: { kind: "number", label: "Share, such as 20 % or 0.2", min: 0, max: 1 },
    judge: (answer, { chance }) => {
      const numbers = `In the first step of your run {first.dead:%} of ${PROMPTS} groups had equal rewards. What one expects is {wrong}^{{G}} (all wrong) + {share}^{{G}} (all right) = {chance:%}.`;
      if (Math.abs(answer - chance) <= 0.1) return { isRight: true, reason: numbers };
      const why =
        answer < chance
          ? "It is more, since all eight wrong is common when one is right only one time in ten: 0.9 eight times over is still 0.43."
          : "It is less: eight tries are enough for more than half of the groups to have at least one right answer.";
      return { isRight: false, reason: `${why} ${numbers}` };
    },
  },
  phases: [
    {
      title: "Two ways to have no spread",
      loop: { at: ["if (Math.max("] },
      formula: {
        tex: String.raw`\sym{dead}{P(\text{no spread})} \;=\; \sym{p}{p}^{\sym{G}{G}} + (1 - \sym{p}{p})^{\sym{G}{G}} \;=\; \sym{dead}{\num{chance}}`,
        spoken: "The chance of no spread is p to the power of G plus one minus p to the power of G",
        symbols: { dead: "share of dead groups, {chance:%}", p: "chance of a right answer, {p:%}", G: "group size, {G}" },
      },
      text: "A group is dead where all answers are right or all are wrong. The curve is this formula for G = 8. The dots are the {steps} steps of your run, each at the share of right answers that it saw; it begins at the left and ends at the right, as it learns.",
    },
    {
      title: "Why they teach nothing",
      loop: { at: ["const A =", "const push"] },
      text: "An [[advantage]] is the reward minus the group's mean, divided by the group's spread. With equal rewards both are 0. The trainer adds 0.0001 to the spread, so that 0 divided by it stays 0: the advantage of each answer, and with it the gradient of every token. Eight wrong answers push nothing down: there was nothing better in the group to compare them with.",
    },
    {
      title: "A run goes through both",
      loop: { at: ["if (Math.max(", "gradNorm +="] },
      text: "Early on your run wasted groups that were all wrong, at its end groups that were all right: {last.dead:%} in the last step. Its gradient was large in between: in step {best.step}, with {best.right:%} right, {best.dead:%} were dead and its norm was {best.gradNorm}, against {last.gradNorm} at the end.",
    },
    {
      title: "Larger groups",
      set: { G: 16 },
      loop: { at: ["const envs_P_G", "if (Math.max("] },
      text: `Your run again with sixteen answers per group. At p = {p:%} the formula says **{chance:%}**; in the first step {first.right:%} of the answers were right and {first.dead:%} of the groups dead. The price is twice the sampling. For very hard prompts it helps little: at p = 1 %, ${shareText(noSpreadChance(0.01, 16))} of groups of sixteen are dead.`,
    },
  ],
  play: "Move p to a prompt that the policy nearly always gets right, 95 %. How large must a group be before half of them teach something? Then try 99 %: is the largest group enough? And why does the curve look the same at 1 %?",
  transfer: `
    Your training set has many problems that the model never solves and many that it always solves. Reward is 1 or 0. Which problems does GRPO learn from?
    - [ ] Mostly those that it never solves: there is most to learn.
      There would be, but no answer in such a group is better than another, so every advantage is 0.
    - [ ] All alike: a reward of 0 pushes wrong answers down, a reward of 1 pushes right ones up.
      Rewards push only by their difference from the group's mean. All 0 or all 1 means no difference.
    - [x] Mostly those that it solves sometimes.
      Only groups with both outcomes have any advantage. That is why some trainers choose such prompts, or throw dead groups away and sample others (DAPO, a later lesson).`,
  sources: [
    "[Yu et al. 2025, DAPO, section 3.2](https://arxiv.org/abs/2503.14476)",
    "[Shao et al. 2024, DeepSeekMath, section 4.1.2](https://arxiv.org/abs/2402.03300)",
  ],
  inLoop: {
    G: "{G}",
    rewards_G: "all equal in {first.dead:%} of the groups of step 1; {chance:%} by the formula",
    A: "0 in a group of equal rewards",
    push: "0 in a group of equal rewards",
    gradNorm: "{first.gradNorm} in the first step, {last.gradNorm} in the last",
  },
});
