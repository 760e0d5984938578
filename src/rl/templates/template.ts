// Templates: whole tasks to start from, each with its problems, the code of its reward or environment, cases that hold the code
// to its word, and settings to begin with; those that were measured say how far they came. The page opens them on
// Customize, the command line by their id (`preset: rhyme`); the code itself lies in examples/templates, where anybody
// can read it as a file.
import type { RunConfigInput } from "../../protocol/config.ts";

/** What a reward that is meant to be cheated shows, and how it is mended. */
export interface Diagnosis {
  /** What the run's findings come to say. */
  readonly finding: string;
  /** What the curve of what is meant does meanwhile. */
  readonly curve: string;
  /** What is wrong with the reward, and what the second version does about it. */
  readonly mend: string;
  /** The second version: code in the place of the first, with its cases. */
  readonly mended: NonNullable<RunConfigInput["customRewards"]>;
}

export interface Template {
  readonly id: string;
  readonly title: string;
  /** What the model is to learn, in a sentence. */
  readonly summary: string;
  /** What to look for while it learns. */
  readonly lookFor: string;
  /** What was measured, from where to where and in how many steps; absent where nobody has. */
  readonly measured?: string;
  /** All of it: what a run of it starts with. */
  readonly config: RunConfigInput;
  /** Of one that is meant to be cheated. */
  readonly diagnosis?: Diagnosis;
}

/** A model that is brought once, where the shipped weights are too small. */
export const SMOLLM2 = "HuggingFaceTB/SmolLM2-135M-Instruct";

/** Adapters beside such a model, and little of everything: a step takes seconds there. Fewer held-out problems would decide nothing. */
export const BESIDE_SMOLLM2 = {
  checkpoint: SMOLLM2,
  loraRank: 8,
  loraAlpha: 32,
  learningRate: 3e-4,
  klCoef: 0,
  measureUpdate: false,
  promptsPerStep: 4,
  groupSize: 8,
  steps: 12,
  evalEvery: 6,
  evalProblems: 8,
  evalSamples: 4,
} as const satisfies RunConfigInput;

/** Problems that are trained on, and problems that are asked in evaluations alone. */
export function withHeldOut<Problem extends object>(trained: readonly Problem[], heldOut: readonly Problem[]) {
  return [...trained, ...heldOut.map((problem) => ({ ...problem, heldOut: true as const }))];
}

/** The words of a text, each in a question. */
export function asked(words: string, question: (word: string) => string) {
  return words.split(" ").map((word) => ({ question: question(word) }));
}
