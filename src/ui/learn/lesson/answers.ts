// A reader's answers as a file that a teacher can collect: nothing but what was answered, and in which order.
import { lessons } from "../lessons/index.ts";
import type { LessonProgress } from "../progress.ts";
import { stagesOf } from "../progress.ts";

/** What was answered in each lesson that was begun, in the words of its questions. */
export function givenAnswers(progress: Readonly<Record<string, LessonProgress>>) {
  return {
    format: "rollout-lab-answers",
    version: 1,
    lessons: lessons.flatMap(({ id, title, prediction, transfer, phases }) => {
      const own = progress[id];
      if (!own || own.answer === null) return [];
      const { ask } = prediction;
      return [
        {
          id,
          title,
          prediction: ask.kind === "number" ? own.answer : (ask.options[own.answer] ?? null),
          predictionRight: own.isRight,
          transfer: own.transfer.map((option) => ({
            answer: transfer.options[option]?.text ?? null,
            right: transfer.options[option]?.isRight === true,
          })),
          finished: own.stage >= stagesOf(phases.length).end,
        },
      ];
    }),
  };
}
