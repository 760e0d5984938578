// The runs that a lesson shows: asked for once the reader may see them, again when a control changes them.

import { useMemo, useState } from "react";
import { REST_MS, useAnswer } from "../../engine/store/useQuestion.ts";
import { runPlan } from "../../experiment/small/runSmall.ts";
import type { SmallRuns } from "../../experiment/small/smallRun.ts";
import type { Lesson } from "./lesson.tsx";
import type { Values } from "./parts.ts";

const NOTHING: SmallRuns = [];

/**
 * A lesson at these values with its runs; the ones before stay until the new ones are there.
 * @param mayRun whether a run may be asked for and shown: not before the reader has locked in what they expect of it.
 */
export function useLessonRuns(lesson: Lesson, values: Values, mayRun: boolean) {
  const plans = useMemo(() => lesson.runs?.(values) ?? [], [lesson, values]);
  const [tries, setTries] = useState(0);
  const about = mayRun && plans.length > 0 ? JSON.stringify([plans, tries]) : null;
  // A slider that is dragged asks for one run, where it comes to rest.
  const { answer, problem, isAsking } = useAnswer(about, () => Promise.all(plans.map(runPlan)), null, REST_MS);
  const runs = (mayRun ? answer : null) ?? NOTHING;
  return {
    now: useMemo(() => lesson.open(values, runs), [lesson, values, runs]),
    runs,
    problem,
    isBusy: isAsking,
    again: () => setTries((count) => count + 1),
  };
}
