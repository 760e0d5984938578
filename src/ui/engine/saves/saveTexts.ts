// A saved run in words: what it trains, how far it is, when it was saved and how large it is.

import { useMemo } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { presetOfRun } from "../store/draft/draftConfig.ts";
import { useEngine, useRun, useTraced } from "../store/useRunView.ts";

/** The preset where the run is one as it stands, otherwise task and algorithm. */
export function runName(catalog: Catalog, config: RunConfig): string {
  const preset = presetOfRun(catalog, config);
  if (preset) return preset.title;
  const task = catalog.tasks.find(({ id }) => id === config.task)?.title ?? config.task;
  const algorithm = catalog.algorithms.find(({ id }) => id === config.algorithm)?.title ?? config.algorithm;
  return `${task}, ${config.kind === "supervised" ? "supervised" : algorithm}`;
}

export function stepText({ step, config }: Pick<SaveSummary, "step" | "config">): string {
  return config && config.steps > 0 ? `step ${step} of ${config.steps}` : `step ${step}`;
}

/** To make one takes longer than to use it a hundred times. */
let dates: Intl.DateTimeFormat | null = null;

/** Day and minute as the reader's language writes them. */
export function dateText(savedAt: number): string {
  dates ??= new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  return dates.format(savedAt);
}

/** Whether a saved run has begun and not taken all its steps. */
export function isUnderWay({ step, config }: Pick<SaveSummary, "step" | "config">): boolean {
  return step > 0 && config !== null && !isOver({ step, config });
}

/** Whether a saved run has taken all the steps it was given: there is nothing to go on with, and it can be opened. */
export function isOver({ step, config }: Pick<SaveSummary, "step" | "config">): boolean {
  return config !== null && config.steps > 0 && step >= config.steps;
}

/** What the button does that leads to a saved run. */
export function continueVerb(save: Pick<SaveSummary, "step" | "config">): "Continue" | "Open" {
  return isOver(save) ? "Open" : "Continue";
}

/** Newest first; those that can be continued before those that cannot be read. */
export function sortedSaves(saves: readonly SaveSummary[]): readonly SaveSummary[] {
  return [...saves].sort((a, b) => Number(b.config !== null) - Number(a.config !== null) || b.savedAt - a.savedAt);
}

/** What the run on screen is called, as in the list of saved runs; null before the first run. */
export function useRunName(): string | null {
  const catalog = useEngine((facts) => facts.catalog);
  const config = useRun((facts) => facts.config);
  const traced = useTraced();
  return useMemo(() => traced?.title ?? (catalog && config ? runName(catalog, config) : null), [catalog, config, traced]);
}
