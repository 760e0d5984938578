// How components reach the run they show: the page's own, or the one that a component above hands down.
import { createContext, createElement, type ReactNode, useCallback, useContext, useMemo } from "react";
import { useStore } from "zustand";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { TraceReport } from "../../../protocol/rollouts/traces.ts";
import { NearRun } from "../../kit/faults/FaultBoundary.tsx";
import { engine } from "../client.ts";
import type { EngineFacts } from "./engineFacts.ts";
import type { RunFacts } from "./runFacts.ts";
import type { RunView } from "./runView.ts";
import { type Selection, selected } from "./selection.ts";

const RunViewContext = createContext<RunView>(engine.view);

export function useRunView(): RunView {
  return useContext(RunViewContext);
}

/** A fact about the run that is shown. */
export function useRun<T>(selector: (facts: RunFacts) => T): T {
  return useStore(useRunView().facts, selector);
}

/** What was recognised in the files of the run that is shown, where another program wrote them; null of all other runs. */
export function useTraced(): TraceReport | null {
  return useRun((facts) => facts.recording?.traced ?? null);
}

/** What pieces of answers are called: "word" where nobody knows the tokens and text was cut instead. */
export function useTokenWord(): "token" | "word" {
  return useTraced()?.tokens === "words" ? "word" : "token";
}

export function useSelection<T>(selector: (selection: Selection) => T): T {
  return useStore(useRunView().selection, selector);
}

export function useSelect(): (change: Partial<Selection>) => void {
  const { selection } = useRunView();
  return useCallback((change) => selection.setState((before) => selected(before, change)), [selection]);
}

/** A fact about the page's engine. */
export function useEngine<T>(selector: (facts: EngineFacts) => T): T {
  return useStore(engine.facts, selector);
}

function told(catalog: Catalog | null): Catalog {
  if (!catalog) throw new Error("internal: the catalog is read before the engine has told it");
  return catalog;
}

/** What the page's engine can do, for parts that are shown once it has told it. */
export function useCatalog(): Catalog {
  return told(useEngine((facts) => facts.catalog));
}

/** The same for what somebody does with such a part. */
export const catalogNow = (): Catalog => told(engine.facts.getState().catalog);

/** Hands a run down to the components that show it, and to the fault boundaries among them what they tell of it. */
export function ShownRun({ view, children }: { readonly view: RunView; readonly children: ReactNode }): ReactNode {
  const runId = useStore(view.facts, (facts) => facts.runId);
  const isTraining = useStore(view.facts, (facts) => facts.state === "running");
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const near = useMemo(() => ({ runId, trainsOn: isTraining && isUp }), [runId, isTraining, isUp]);
  return createElement(RunViewContext, { value: view }, createElement(NearRun, { value: near }, children));
}
