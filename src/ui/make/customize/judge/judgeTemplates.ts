// Judges to start from. How far each agrees with what it is asked hangs on the model, and is for its bench to show.
import type { Judge } from "../../../../protocol/custom/judges.ts";

/** As it stands in a draft, where what is at its default may be left out. */
export type GivenJudge = Pick<Judge, "prompt" | "scale"> & Partial<Omit<Judge, "prompt" | "scale">>;

export interface JudgeTemplate {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly judge: GivenJudge;
}

export const judgeTemplates: readonly JudgeTemplate[] = [
  {
    id: "question",
    title: "Is it a question?",
    summary: "For a pretrained model such as SmolLM2: yes or no, as a probability.",
    judge: {
      title: "A question",
      prompt: "Text: {text}\n\nDoes the text ask a question? Answer yes or no.",
      scale: { Yes: 1, No: 0 },
    },
  },
  {
    id: "polite",
    title: "How polite is it?",
    summary: "For a pretrained model: a number from 0 to 9, as the expectation over all ten.",
    judge: {
      title: "Politeness",
      prompt: "Text: {text}\n\nHow polite is the text, from 0 (rude) to 9 (very polite)? Answer with one digit.",
      scale: Object.fromEntries(Array.from({ length: 10 }, (_, digit) => [String(digit), Math.round((100 * digit) / 9) / 100])),
    },
  },
  {
    id: "sums",
    title: "Is the sum right?",
    summary: "The lab's own checker of sums. It is small and not always right, and your model learns its mistakes too.",
    judge: {
      title: "Checker",
      checkpoint: "agents",
      asTurns: true,
      prompt: "Is this right? Work it out, then say yes or no.",
      scale: { yes: 1, no: 0 },
      read: "written",
    },
  },
];
