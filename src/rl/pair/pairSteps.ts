// Which answers of two runs stand beside each other: those of a step of each, or of each prompt those of the last step that asked it. Runs
// that drew their prompts otherwise have none in common at one step, and are compared by prompts instead.
import type { PairStep } from "../../protocol/rollouts/runPair.ts";
import type { AnswerFacts } from "./pairMeasures.ts";

/** All answers to one prompt. */
interface AskedPrompt {
  /** How its last question begins. */
  readonly begin: string;
  readonly answers: readonly AnswerFacts[];
}

/** A run by the prompts that it was asked. */
export interface AskedRun {
  readonly steps: readonly number[];
  readonly partNames: readonly string[];
  /** By keys that are equal where prompts are. */
  readonly prompts: ReadonlyMap<string, AskedPrompt>;
}

interface ChosenSteps {
  readonly left: PairStep;
  readonly right: PairStep;
  /** Why these, where nobody chose them. */
  readonly why: string | null;
}

const lastOf = ({ answers }: AskedPrompt) => answers.reduce((last, { step }) => Math.max(last, step), Number.NEGATIVE_INFINITY);

/** The answers of a prompt that count; none where the step did not ask it. */
export function answersAt(prompt: AskedPrompt | undefined, step: PairStep): readonly AnswerFacts[] {
  if (!prompt) return [];
  const at = step === "last" ? lastOf(prompt) : step;
  return prompt.answers.filter((answer) => answer.step === at);
}

/** The last step at which both were asked some prompt; null without one. */
function lastShared(left: AskedRun, right: AskedRun): number | null {
  let last: number | null = null;
  for (const [key, { answers }] of left.prompts) {
    const others = new Set(right.prompts.get(key)?.answers.map(({ step }) => step));
    for (const { step } of answers) if (others.has(step) && (last === null || step > last)) last = step;
  }
  return last;
}

/** The steps that are compared. @param asked null where nobody chose one */
export function chosenSteps(
  left: AskedRun,
  right: AskedRun,
  asked: { readonly left: PairStep | null; readonly right: PairStep | null },
): ChosenSteps {
  const sameIn = ({ steps }: AskedRun, step: PairStep): PairStep => (step === "last" || steps.includes(step) ? step : "last");
  if (asked.left !== null) return { left: asked.left, right: asked.right ?? sameIn(right, asked.left), why: null };
  if (asked.right !== null) return { left: sameIn(left, asked.right), right: asked.right, why: null };
  const shared = lastShared(left, right);
  if (shared === null)
    return {
      left: "last",
      right: "last",
      why: "no step of both has a prompt in common, so each prompt is compared at the last step that asked it",
    };
  const later = left.steps.filter((step) => step > shared && right.steps.includes(step)).length;
  return {
    left: shared,
    right: shared,
    why: later === 0 ? "the last step that both have" : "the last step at which both were asked some of the same prompts",
  };
}
