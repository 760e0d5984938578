// How far the reader is, in this browser alone: stage and answers of each lesson. What was stored is checked
// like anything from outside; what cannot be read counts as not begun.

import { create } from "zustand";
import { orElse } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { recall, remember } from "../kit/remembered.ts";

const lessonProgress = z.strictObject({
  /** 0 before the prediction, then 1 + the phase, then free play, transfer and the end. */
  stage: z.int().min(0).max(100),
  /** The locked prediction, and whether it was right. */
  answer: z.number().nullable(),
  isRight: z.boolean().nullable(),
  /** Options of the transfer question in the order they were tried. */
  transfer: z.array(z.int().min(0).max(20)).max(50),
});
export type LessonProgress = z.output<typeof lessonProgress>;

const stored = z.record(z.string(), lessonProgress);

export const NOT_BEGUN: LessonProgress = { stage: 0, answer: null, isRight: null, transfer: [] };

const KEY = "rollout-lab-lessons";

function readStored(): Readonly<Record<string, LessonProgress>> {
  // No JSON: as if nothing had been stored.
  return stored.safeParse(orElse(() => JSON.parse(recall(KEY) ?? "{}"), {})).data ?? {};
}

export const useProgress = create<{ readonly lessons: Readonly<Record<string, LessonProgress>> }>()(() => ({ lessons: readStored() }));

/** Notes how far a lesson is. */
export function setProgress(id: string, change: Partial<LessonProgress>): void {
  const { lessons } = useProgress.getState();
  const next = { ...lessons, [id]: { ...NOT_BEGUN, ...lessons[id], ...change } };
  useProgress.setState({ lessons: next });
  remember(KEY, JSON.stringify(next));
}

/** Begins a lesson again. */
export function forgetProgress(id: string): void {
  setProgress(id, NOT_BEGUN);
}

/** Stages of a lesson with so many phases, by name. */
export function stagesOf(phases: number) {
  return { prediction: 0, play: phases + 1, transfer: phases + 2, end: phases + 3 } as const;
}

/** How much of a lesson is done, in [0, 1]. */
export function shareDone(progress: LessonProgress | undefined, phases: number): number {
  return Math.min(1, (progress?.stage ?? 0) / stagesOf(phases).end);
}
