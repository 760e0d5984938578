// What the table of all rollouts answers to a question: asked again when the question changes, and about newer steps
// when somebody wants them.
import { useState } from "react";
import type { TableAnswer, TableQuery } from "../../../protocol/rollouts/rolloutTable.ts";
import { engine } from "../../engine/client.ts";
import type { GroupsByStep } from "../../engine/store/groupsByStep.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { useRun, useRunView } from "../../engine/store/useRunView.ts";

/** Steps whose rollouts the engine can read, ascending. */
function readableSteps(groups: GroupsByStep): readonly number[] {
  const { latestStep, oldestStep, recordedSteps } = groups;
  const kept = recordedSteps.filter((step) => !groups.isRecord(step));
  const inMemory = latestStep === null ? [] : Array.from({ length: latestStep - oldestStep + 1 }, (_, i) => oldestStep + i);
  return [...new Set([...kept, ...inMemory.filter((step) => groups.isHere(step))])].sort((a, b) => a - b);
}

export interface FoundTable {
  /** The last answer, while the next one is awaited too. */
  readonly answer: TableAnswer | null;
  readonly problem: string | null;
  readonly isAsking: boolean;
  /** Steps that have come since it was asked. */
  readonly newer: number;
  /** Asks about these too. */
  readonly readNewer: () => void;
}

export function useTable(query: TableQuery): FoundTable {
  const { groups } = useRunView();
  useVersion(groups);
  const runId = useRun((facts) => facts.runId);
  const now = readableSteps(groups);
  const [asked, setAsked] = useState<{ readonly runId: string | null; readonly steps: readonly number[] }>({ runId: null, steps: [] });
  if (asked.runId !== runId || (asked.steps.length === 0 && now.length > 0)) setAsked({ runId, steps: now });
  const { steps } = asked;
  const question = runId === null || steps.length === 0 ? null : JSON.stringify([runId, steps.length, steps.at(-1), query]);
  const found = useAnswer(question, () => engine.request({ type: "table", steps: [...steps], query }));
  const known = new Set(steps);
  return {
    ...found,
    answer: asked.runId === runId ? found.answer : null,
    newer: now.filter((step) => !known.has(step)).length,
    readNewer: () => setAsked({ runId, steps: [...new Set([...steps, ...now])].sort((a, b) => a - b) }),
  };
}
