// Facts about the sweeps of this browser, and the runs of those that were looked at: racers with a run for each seed, as in a race.
import { create } from "zustand";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunRecords } from "../../../protocol/messages.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { combinationLetter, configOfPlanned, type SweepPlan, withSettings } from "../../../protocol/run/sweepPlan.ts";
import { isOver } from "../../engine/saves/saveTexts.ts";
import { VersionCounter } from "../../engine/store/metricSeries.ts";
import { createRunView } from "../../engine/store/runView.ts";
import type { Racer, RacerRun, RunStatus } from "../compare/raceStore.ts";
import type { KeptSweep } from "./keptSweeps.ts";
import { sweptFields, sweptText } from "./setup/sweepSetup.ts";

/** A run of a sweep; its id is that of its save. */
export type SweepRun = RacerRun;

export interface LoadedSweep {
  readonly racers: readonly Racer[];
  /** Whether what its runs recorded before has been read. */
  readonly isRead: boolean;
}

export interface SweepFacts {
  /** Null until they were read. */
  readonly kept: readonly KeptSweep[] | null;
  readonly loaded: Readonly<Record<string, LoadedSweep>>;
  /** The sweep that this tab trains, or pauses. */
  readonly going: string | null;
  readonly paused: boolean;
  /** How many runs go on at once; null is as many as fit. */
  readonly atOnce: number | null;
  /** As many as cores and memory allow; null before that is known. */
  readonly fitting: number | null;
  readonly problem: string | null;
}

export const NO_SWEEPS: SweepFacts = {
  ...{ kept: null, loaded: {}, going: null, paused: false, atOnce: null, fitting: null, problem: null },
};
export const useSweeps = create<SweepFacts>()(() => NO_SWEEPS);

/** Counts what the runs report, a few times a second. */
export const sweepVersion = new VersionCounter();

/** What a combination is called: in full, and its values alone. */
export function combinationName(catalog: Catalog, { base, over }: SweepPlan, values: SweepPlan["combinations"][number]["values"]) {
  const fields = sweptFields(catalog, base);
  const parts = over.map(({ field }, i) => {
    const found = fields.find(({ key }) => key === field);
    const text = sweptText(catalog, found, values[i]!);
    return { title: found?.title ?? field, text, full: field === "algorithm" ? text : `${found?.title ?? field} ${text}` };
  });
  return { label: parts.map(({ full }) => full).join(", "), short: parts.map(({ text }) => text).join(", ") };
}

/** The combinations of a plan as racers whose runs have not begun. */
export function racersOf(catalog: Catalog, plan: SweepPlan): readonly Racer[] {
  return plan.combinations.map(({ values, settings }, place): Racer => {
    const config = withSettings(plan.base, settings);
    const own = plan.runs.filter(({ combination }) => combination === place).sort((a, b) => a.seed - b.seed);
    const runs = own.map((planned): RacerRun => {
      const view = createRunView();
      const input = configOfPlanned(plan, planned);
      view.facts.setState({ config: input });
      return { id: planned.runId, seed: planned.seed, input, status: "waiting", view, isScreen: false };
    });
    return {
      ...{ id: combinationLetter(place), ...combinationName(catalog, plan, values), input: config, config, problems: [], forkStep: null },
      ...{ seeds: own.map(({ seed }) => seed), runs },
    };
  });
}

/** Whether a run of a sweep will train no more. */
export function statusOf(save: SaveSummary | undefined, failure: string | undefined): RunStatus {
  return failure !== undefined || (save !== undefined && isOver(save)) ? "done" : "waiting";
}

/** Puts what a run recorded into its view. */
export function showRecords({ id, view }: SweepRun, { config, steps, evaluations, baselines }: RunRecords): void {
  view.metrics.clear();
  view.metrics.append(steps);
  const step = steps.at(-1)?.step ?? 0;
  view.facts.setState({ ...{ runId: id, config, evaluations, baselines, step }, state: "paused", stateReason: "kept" });
}

export function runsOf({ racers }: Pick<LoadedSweep, "racers">): readonly SweepRun[] {
  return racers.flatMap(({ runs }) => runs);
}

export function setRunStatus(sweep: string, id: string, status: RunStatus): void {
  useSweeps.setState(({ loaded }) => {
    const found = loaded[sweep];
    if (!found) return {};
    const racers = found.racers.map((racer) => ({ ...racer, runs: racer.runs.map((run) => (run.id === id ? { ...run, status } : run)) }));
    return { loaded: { ...loaded, [sweep]: { ...found, racers } } };
  });
}

/** A sweep with some of its facts changed. */
export function changeKept(id: string, change: Partial<KeptSweep>): KeptSweep | null {
  useSweeps.setState(({ kept }) => ({ kept: kept?.map((each) => (each.id === id ? { ...each, ...change } : each)) ?? null }));
  return useSweeps.getState().kept?.find((each) => each.id === id) ?? null;
}
