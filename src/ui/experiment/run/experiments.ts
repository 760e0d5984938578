// Facts about the experiments of this browser, and the combinations of those that were looked at, each with a run for each seed whose
// view is fed as the run on screen is.
import { create } from "zustand";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { RunRecords } from "../../../protocol/messages.ts";
import { combinationLetter, configOfPlanned, type ExperimentPlan } from "../../../protocol/run/experimentPlan.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { engine } from "../../engine/client.ts";
import { isOver } from "../../engine/saves/saveTexts.ts";
import { VersionCounter } from "../../engine/store/metricSeries.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { createRunView, type RunView } from "../../engine/store/runView.ts";
import { combinationName } from "../plan/varied.ts";
import type { KeptExperiment } from "./keptExperiments.ts";

/** waiting: for its turn; running: its worker is up; done: it will train no more, the view stays. */
export type RunStatus = "waiting" | "running" | "done";

/** One run of a combination, from one seed; its id is that of its save. */
export interface ExperimentRun {
  readonly id: string;
  readonly seed: number;
  readonly config: RunConfig;
  readonly status: RunStatus;
  readonly view: RunView;
  /** It is trained on the screen Train, if anywhere. */
  readonly isElsewhere: boolean;
}

/** Settings with what their runs have come to. */
export interface Combination {
  /** A letter. */
  readonly id: string;
  /** What is different about it, in words. */
  readonly label: string;
  /** The values alone, for the end of a line. */
  readonly short: string;
  readonly config: RunConfig;
  /** Step after which it leaves the first combination; null where it has run by itself from the start. */
  readonly forkStep: number | null;
  readonly runs: readonly ExperimentRun[];
}

export interface LoadedExperiment {
  readonly combinations: readonly Combination[];
  /** Whether what its runs recorded before has been read. */
  readonly isRead: boolean;
}

export interface ExperimentFacts {
  /** Null until they were read. */
  readonly kept: readonly KeptExperiment[] | null;
  readonly loaded: Readonly<Record<string, LoadedExperiment>>;
  /** The experiment that this tab trains, or pauses. */
  readonly going: string | null;
  readonly paused: boolean;
  /** How many runs go on at once; null is as many as fit. */
  readonly atOnce: number | null;
  /** As many as cores and memory allow; null before that is known. */
  readonly fitting: number | null;
  readonly problem: string | null;
  /** What runs that are compared have recorded by their ids, or why that cannot be read; of those that were asked. */
  readonly recorded: Readonly<Record<string, RunRecords | string>>;
}

export const NO_EXPERIMENTS: ExperimentFacts = {
  kept: null,
  loaded: {},
  going: null,
  paused: false,
  atOnce: null,
  fitting: null,
  problem: null,
  recorded: {},
};
export const useExperiments = create<ExperimentFacts>()(() => NO_EXPERIMENTS);

/** Counts what the runs report, a few times a second: they are drawn together. */
export const experimentVersion = new VersionCounter();

/** The combinations of a plan, with runs that have not begun but for those that are there already. */
export function combinationsOfPlan(catalog: Catalog, plan: ExperimentPlan, there: readonly ExperimentRun[] = []): readonly Combination[] {
  return plan.combinations.map((combination, place): Combination => {
    const own = plan.runs.filter((run) => run.combination === place).sort((a, b) => a.seed - b.seed);
    const runs = own.map((planned): ExperimentRun => {
      const known = there.find(({ id }) => id === planned.runId);
      if (known) return known;
      const view = createRunView();
      const config = configOfPlanned(plan, planned);
      view.facts.setState({ config });
      return { id: planned.runId, seed: planned.seed, config, status: "waiting", view, isElsewhere: planned.isElsewhere === true };
    });
    return {
      id: combinationLetter(place),
      ...combinationName(catalog, plan, combination),
      runs,
      config: runs[0]?.config ?? plan.base,
      forkStep: combination.afterStep ?? null,
    };
  });
}

/** Whether a run will train no more. */
export function statusOf(save: SaveSummary | undefined, failure: string | undefined): RunStatus {
  return failure !== undefined || (save !== undefined && isOver(save)) ? "done" : "waiting";
}

/** Puts what a run recorded into its view. */
export function showRecords({ id, view }: Pick<ExperimentRun, "id" | "view">, records: RunRecords): void {
  const { config, steps, evaluations, baselines } = records;
  view.metrics.clear();
  view.metrics.append(steps);
  const step = steps.at(-1)?.step ?? 0;
  view.facts.setState({ runId: id, config, evaluations, baselines, step, state: "paused", stateReason: "kept" });
}

export function runsOf(combinations: readonly Combination[]): readonly ExperimentRun[] {
  return combinations.flatMap(({ runs }) => runs);
}

/** What is known of a run. */
export function factsOf({ view }: Pick<ExperimentRun, "view">): RunFacts {
  return view.facts.getState();
}

/** A run's configuration: the engine's once it has told it, before that the plan's. */
export function configOf(run: ExperimentRun): RunConfig {
  return factsOf(run).config ?? run.config;
}

/** Whether a run is the one that the screen Train shows. */
export function isOnScreen({ id, isElsewhere }: ExperimentRun): boolean {
  return isElsewhere && engine.view.facts.getState().runId === id;
}

/** Whether none of the experiment's own runs is still to end. */
export function isAllOver(combinations: readonly Combination[]): boolean {
  return runsOf(combinations).every(({ status, isElsewhere }) => isElsewhere || status === "done");
}

export function loadedRuns(id: string): readonly ExperimentRun[] {
  return runsOf(useExperiments.getState().loaded[id]?.combinations ?? []);
}

export function keptOf(id: string | null): KeptExperiment | undefined {
  return useExperiments.getState().kept?.find((each) => each.id === id);
}

export function putLoaded(id: string, change: Partial<LoadedExperiment>): void {
  useExperiments.setState(({ loaded }) => ({
    loaded: { ...loaded, [id]: { combinations: [], isRead: false, ...loaded[id], ...change } },
  }));
}

export function setRunStatus(experiment: string, id: string, status: RunStatus): void {
  const { combinations = [] } = useExperiments.getState().loaded[experiment] ?? {};
  const changed = (run: ExperimentRun) => (run.id === id ? { ...run, status } : run);
  putLoaded(experiment, { combinations: combinations.map((each) => ({ ...each, runs: each.runs.map(changed) })) });
}

/** An experiment with some of its facts changed; null where it is not kept. */
export function changeKept(id: string, change: Partial<KeptExperiment>): KeptExperiment | null {
  useExperiments.setState(({ kept }) => ({ kept: kept?.map((each) => (each.id === id ? { ...each, ...change } : each)) ?? null }));
  return keptOf(id) ?? null;
}
