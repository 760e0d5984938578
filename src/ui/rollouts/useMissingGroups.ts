// Asks the engine for the groups of the selected step that the page does not hold.
import { useEffect, useState } from "react";
import { useRunView, useSelection } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";

/** Asks for what is selected and not here; returns what the engine answered instead, if it failed. */
export function useMissingGroups(onInspect: (step: number, promptIndex?: number) => Promise<unknown>): string | null {
  const { groups } = useRunView();
  const version = useVersion(groups);
  const { step: chosen, promptIndex } = useSelection((all) => all);
  const [problem, setProblem] = useState<string | null>(null);
  const { latestStep, oldestStep } = groups;
  const step = chosen ?? latestStep;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the selection moves, not when groups of other steps arrive
  useEffect(() => {
    setProblem(null);
    if (step === null || latestStep === null || step < oldestStep || step > latestStep) return;
    const held = groups.at(step);
    if (held && (groups.group(step, promptIndex) || promptIndex >= held.summaries.length)) return;
    let current = true;
    onInspect(step, held ? promptIndex : undefined).catch((error: unknown) => {
      if (current) setProblem(error instanceof Error ? error.message : String(error));
    });
    return () => {
      current = false;
    };
  }, [step, promptIndex, latestStep === null || (step ?? 0) > latestStep, version > 0 && groups.at(step ?? -1) === null]);
  return problem;
}
