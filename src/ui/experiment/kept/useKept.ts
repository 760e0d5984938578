// The kept runs that are compared, with what they have recorded, asked for when they are first shown.
import { useEffect, useMemo, useState } from "react";
import { errorText } from "../../../protocol/problems.ts";
import { engine } from "../../engine/client.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { useSetup } from "../plan/setup.ts";
import { experimentVersion, useExperiments } from "../run/experiments.ts";
import type { KeptRun } from "./keptCombinations.ts";

const asked = new Set<string>();

async function askFor(runId: string): Promise<void> {
  if (asked.has(runId)) return;
  asked.add(runId);
  const answer = await engine.request({ type: "records", runId }).catch((error: unknown) => {
    // Another look may find it.
    asked.delete(runId);
    return errorText(error);
  });
  useExperiments.setState(({ recorded }) => ({ recorded: { ...recorded, [runId]: answer } }));
}

/** Forgets records, as of a run that has gone on since. */
function forget(runIds: readonly string[]): void {
  for (const runId of runIds) asked.delete(runId);
}

interface Kept {
  readonly runs: readonly KeptRun[];
  /** Why runs are missing, a sentence each. */
  readonly problems: readonly string[];
  readonly isWaiting: boolean;
}

/** The runs that the set-up names. */
export function useKept(): Kept {
  const ids = useSetup("compare", (setup) => setup.runs);
  const isUp = useEngine(({ saves }) => saves !== null);
  const saves = useEngine((facts) => facts.saves);
  const answers = useExperiments((facts) => facts.recorded);
  const here = useRun(({ runId, recording }) => (recording ? null : runId));
  const evaluated = useRun(({ evaluations }) => evaluations.length);
  const state = useRun((facts) => facts.state);
  const [isAsked, setAsked] = useState(false);
  useEffect(() => {
    if (!isUp) return;
    for (const runId of ids) void askFor(runId);
    setAsked(true);
    return () => forget(ids);
  }, [ids, isUp]);
  // The run on screen has recorded more since: what stood before stays until its answer comes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: evaluations and states make new records
  useEffect(() => {
    if (!isUp || here === null || !ids.includes(here) || !asked.has(here)) return;
    forget([here]);
    void askFor(here);
  }, [ids, here, isUp, evaluated, state]);
  useEffect(() => engine.view.metrics.subscribe(() => experimentVersion.bump()), []);
  return useMemo(() => {
    const nameOf = (runId: string) => saves?.find((save) => save.runId === runId)?.name ?? runId;
    const found = ids.map((runId) => [runId, answers[runId]] as const);
    return {
      runs: found.flatMap(([runId, answer]) =>
        answer && typeof answer !== "string"
          ? [{ runId, name: nameOf(runId), records: answer, live: runId === here ? engine.view : null }]
          : [],
      ),
      problems: found.flatMap(([runId, answer]) => (typeof answer === "string" ? [`${nameOf(runId)}: ${answer}`] : [])),
      isWaiting: !isAsked || found.some(([, answer]) => answer === undefined),
    };
  }, [ids, saves, answers, here, isAsked]);
}
