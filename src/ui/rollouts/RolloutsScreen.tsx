// Ties the Rollouts view to the run on screen, to the address, and to the engine, which is asked for
// whatever step or prompt the page does not hold.
import { useEffect, useState } from "react";
import { parseRoute, replaceQuery, useHash } from "../route.ts";
import { useTheme } from "../store/themeStore.ts";
import { useRun, useRunView, useSelect, useSelection } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";
import { queryOf, selectionFrom } from "./address.ts";
import { RolloutsView } from "./RolloutsView.tsx";

export interface RolloutsScreenProps {
  /** Asks the engine for the groups of a step; settles when it has answered. */
  readonly onInspect: (step: number, promptIndex?: number) => Promise<unknown>;
}

export function RolloutsScreen({ onInspect }: RolloutsScreenProps) {
  const view = useRunView();
  useVersion(view.groups);
  const selection = useSelection((all) => all);
  const select = useSelect();
  const config = useRun((run) => run.config);
  const theme = useTheme((state) => state.theme);
  const problem = useMissingGroups(onInspect);
  useAddress();
  const { latestStep, oldestStep } = view.groups;
  const step = selection.step ?? latestStep;
  return (
    <RolloutsView
      config={config}
      latestStep={latestStep}
      oldestStep={oldestStep}
      selection={selection}
      groups={step === null ? null : view.groups.at(step)}
      problem={problem}
      theme={theme}
      onSelect={select}
      onInspectAll={onInspect}
    />
  );
}

/** Address to selection and back; a link opened by hand wins over what was selected before. */
function useAddress(): void {
  const hash = useHash();
  const { selection: store } = useRunView();
  const selection = useSelection((all) => all);
  const [read, setRead] = useState<string | null>(null);
  const { query } = parseRoute(hash);
  const shown = queryOf(selection).toString();
  useEffect(() => {
    if (parseRoute(hash).screen !== "rollouts" || read === hash) return;
    setRead(hash);
    const given = parseRoute(hash).query;
    // Coming from another screen without a query keeps the selection made there.
    if (given.size > 0 || read !== null) store.setState(selectionFrom(given));
  }, [store, hash, read]);
  useEffect(() => {
    if (read !== hash || shown === query.toString() || parseRoute(hash).screen !== "rollouts") return;
    replaceQuery("rollouts", new URLSearchParams(shown));
    setRead(window.location.hash);
  }, [hash, read, shown, query]);
}

/** Asks for what is selected and not here; returns what the engine answered instead, if it failed. */
function useMissingGroups(onInspect: RolloutsScreenProps["onInspect"]): string | null {
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
  }, [step, promptIndex, latestStep === null, version > 0 && groups.at(step ?? -1) === null]);
  return problem;
}
