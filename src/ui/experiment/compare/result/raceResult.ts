// The racers on the page as their judge reads them.

import { useMemo } from "react";
import type { Axis } from "../../../../rl/race/axis.ts";
import { type JudgedRace, judgeRecorded, placesOfRun, type RaceRun } from "../../../../rl/race/recordedRace.ts";
import { useVersion } from "../../../engine/store/metricSeries.ts";
import { configOf, isRaceOver, type Racer, type RacerRun, raceVersion, runOf } from "../raceStore.ts";
import { useRaceSetup } from "../setup/raceSetup.ts";

export function recordedOf(run: RacerRun): RaceRun {
  return { config: configOf(run), evaluations: runOf(run).evaluations, metric: (key) => run.view.metrics.series(key) };
}

/** Where a run's steps lie on the axis. */
export function racerPlaces(axis: Axis, run: RacerRun): (step: number) => number {
  return placesOfRun(axis, recordedOf(run));
}

export function judgedRace(
  racers: readonly Racer[],
  axis: Axis,
  asked: number | null,
  isOver = isRaceOver(racers),
  called: "race" | "sweep" = "race",
): JudgedRace {
  const recorded = racers.map(({ id, label, config, runs }) => ({ id, label, config, runs: runs.map(recordedOf) }));
  return judgeRecorded(recorded, axis, asked, isOver, called);
}

/** What these racers show by now, worked out again as the racers report. */
export function useJudgedRace(racers: readonly Racer[]): JudgedRace {
  const axis = useRaceSetup((setup) => setup.axis);
  const target = useRaceSetup((setup) => setup.target);
  const version = useVersion(raceVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the racers' columns
  return useMemo(() => judgedRace(racers, axis, target), [racers, axis, target, version]);
}
