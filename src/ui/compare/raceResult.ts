// The racers on the page as their judge reads them.
import type { Axis } from "../../rl/race/axis.ts";
import { type JudgedRace, judgeRecorded, placesOfRun as placesOfRecorded, type RaceRun } from "../../rl/race/recordedRace.ts";
import { configOf, isRaceOver, type Racer, type RacerRun, runOf } from "./raceStore.ts";

function recordedOf(run: RacerRun): RaceRun {
  return { config: configOf(run), evaluations: runOf(run).evaluations, metric: (key) => run.view.metrics.series(key) };
}

/** Where a run's steps lie on the axis. */
export function placesOfRun(axis: Axis, run: RacerRun): (step: number) => number {
  return placesOfRecorded(axis, recordedOf(run));
}

export function judgedRace(racers: readonly Racer[], axis: Axis, asked: number | null): JudgedRace {
  const recorded = racers.map(({ id, label, config, runs }) => ({ id, label, config, runs: runs.map(recordedOf) }));
  return judgeRecorded(recorded, axis, asked, isRaceOver(racers));
}
