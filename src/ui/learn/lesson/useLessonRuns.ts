// The runs that a lesson shows: asked for once the reader may see them, again when a control changes them.

import { useEffect, useMemo, useState } from "react";
import { errorText } from "../../../protocol/problems.ts";
import { runPlan } from "../../experiment/small/runSmall.ts";
import type { SmallRuns } from "../../experiment/small/smallRun.ts";
import type { Lesson } from "./lesson.tsx";
import type { Values } from "./parts.ts";

/** A slider that is dragged asks for one run, where it comes to rest. */
const REST_MS = 350;

const NOTHING: SmallRuns = [];

/** A lesson at these values with its runs; the ones before stay until the new ones are there. */
export function useLessonRuns(lesson: Lesson, values: Values, mayRun: boolean) {
  const plans = useMemo(() => lesson.runs?.(values) ?? [], [lesson, values]);
  const key = JSON.stringify(plans);
  const [tries, setTries] = useState(0);
  const [shown, setShown] = useState<{ readonly key: string; readonly runs: SmallRuns } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the plans, which are made anew at each draw
  useEffect(() => {
    if (!mayRun || plans.length === 0) return;
    let isWanted = true;
    setProblem(null);
    const timer = setTimeout(
      () => {
        Promise.all(plans.map(runPlan)).then(
          (runs) => isWanted && setShown({ key, runs }),
          (error: unknown) => isWanted && setProblem(errorText(error)),
        );
      },
      tries === 0 && shown === null ? 0 : REST_MS,
    );
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [key, mayRun, tries]);
  const runs = mayRun && shown ? shown.runs : NOTHING;
  return {
    now: useMemo(() => lesson.open(values, runs), [lesson, values, runs]),
    runs,
    isBusy: mayRun && plans.length > 0 && shown?.key !== key && problem === null,
    problem,
    again: () => setTries((count) => count + 1),
  };
}
