// A lesson as somebody adds one: this file, and a line in the list of lessons.
import { tableAddress } from "../../../src/ui/experiment/small/smallRun.ts";
import { points } from "../../../src/ui/learn/figures/FigurePlot.tsx";
import { defineLesson } from "../../../src/ui/learn/lesson/lesson.tsx";
import type { Values } from "../../../src/ui/learn/lesson/parts.ts";

function stateOf({ chance }: Values) {
  const rows = [0, 0.25, 0.5, 0.75, 1].map((p) => ({ p, variance: p * (1 - p) }));
  return { rows, variance: chance! * (1 - chance!), best: rows[2]! };
}

export const madeUp = defineLesson({
  id: "made-up",
  title: "How much a coin can tell",
  question: "A reward is 1 or 0. When does it vary most?",
  minutes: 4,
  intro: `
    A [[reward]] of 1 or 0, and the *chance* of 1.

    1. **Rare** successes.
    2. Common ones.

    > Nothing here is trained.`,
  controls: [{ id: "chance", label: "Chance p", min: 0, max: 1, step: 0.05, initial: 0.2 }],
  state: stateOf,
  figureTitle: "Variance of a reward",
  figure: ({ rows }, { phase }) => [
    {
      kind: "plot",
      title: "Variance",
      x: [0, 1, "chance"],
      y: [0, 0.25, "variance"],
      lines: [phase >= 0 && { name: "variance", look: "main", points: points(rows, "p", "variance") }],
    },
    { kind: "rows", head: "variance", most: 0.25, rows, label: "p = {p:%}", value: "variance" },
    "At p = {chance:%} it is {variance@v}.",
  ],
  columns: { chance: "p:%", variance: "variance" },
  answerColumns: ["variance"],
  prediction: {
    question: `
      At which chance does the reward vary most?
      - [ ] When success is rare.
        Then nearly all are 0: at p = {chance:%} the variance is {variance}.
      - [x] At one half.
        There it is {best.variance}, and less to either side.`,
  },
  phases: [
    {
      title: "The variance",
      set: { chance: 0.5 },
      loop: { at: ["const std"], note: "GRPO divides by its root." },
      formula: {
        tex: String.raw`\sym{v}{v} = p (1 - p) = \num{variance}`,
        spoken: "v is p times one minus p, {variance}",
        symbols: { v: "variance, {variance}" },
      },
      text: "At p = {chance:%} the variance is {variance@v}, as [Bernoulli](https://example.org/bernoulli) found: `p(1 − p)`, e^{−0} times it.",
    },
  ],
  play: "Move the chance to either side.",
  transfer: `
    Which prompts tell most?
    - [x] Those solved half of the time.
      Their rewards vary most.
    - [ ] Those that are always solved.
      Their rewards do not vary.`,
  sources: ["[Bernoulli 1713](https://example.org/bernoulli)"],
  inLoop: { std: "the root of {variance}" },
  train: () => tableAddress({ algorithm: "grpo" }),
});
