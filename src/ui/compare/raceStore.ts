// Facts about the racers, each reduced from its own engine's events exactly as the run on screen is, and
// their metrics outside React.
import { create } from "zustand";
import type { RunConfigKey } from "../../protocol/config.ts";
import type { StepRecord } from "../../protocol/records.ts";
import { MetricSeries } from "../store/metricSeries.ts";
import { NO_RUN, type RunFacts } from "../store/runStore.ts";
import { VersionCounter } from "../store/versioned.ts";
import type { PlannedRacer } from "./racePlan.ts";

/** waiting: for a free core; running: its worker is up; done: the worker is gone, the facts stay. */
export type RacerStatus = "waiting" | "running" | "done";

export interface Racer extends PlannedRacer {
  readonly status: RacerStatus;
  readonly run: RunFacts;
  /** Follows the run on the Train screen instead of having a worker. */
  readonly isScreen: boolean;
}

export interface RaceFacts {
  readonly racers: readonly Racer[];
  readonly varied: RunConfigKey | null;
  readonly paused: boolean;
}

export const NO_RACE: RaceFacts = { racers: [], varied: null, paused: false };

export const useRace = create<RaceFacts>()(() => NO_RACE);

/** Counts changes of any racer's metrics. */
export const raceVersion = new VersionCounter();

const seriesById = new Map<string, MetricSeries>();

/** Metrics of one racer. */
export function racerSeries(id: string): MetricSeries {
  const known = seriesById.get(id);
  if (known) return known;
  const fresh = new MetricSeries();
  seriesById.set(id, fresh);
  return fresh;
}

export function forgetSeries(): void {
  seriesById.clear();
  raceVersion.bump();
}

/** A racer that has not begun. */
export function newRacer(plan: PlannedRacer, isScreen = false): Racer {
  return { ...plan, status: "waiting", isScreen, run: { ...NO_RUN, config: plan.config } };
}

export function changeRacer(id: string, change: Partial<Pick<Racer, "status" | "run">>): void {
  useRace.setState(({ racers }) => ({ racers: racers.map((racer) => (racer.id === id ? { ...racer, ...change } : racer)) }));
}

/** Step records of a series that come after a step. */
export function recordsAfter(series: MetricSeries, step: number): readonly StepRecord[] {
  const found = new Map<number, Record<string, number>>();
  for (const key of series.keys()) {
    const { steps, values } = series.series(key);
    for (let i = steps.length - 1; i >= 0 && steps[i]! > step; i--) {
      const metrics = found.get(steps[i]!) ?? {};
      metrics[key] = values[i]!;
      found.set(steps[i]!, metrics);
    }
  }
  return [...found].sort(([a], [b]) => a - b).map(([at, metrics]) => ({ step: at, metrics }));
}
