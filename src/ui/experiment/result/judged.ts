// The runs on the page as their judge reads them.
import { useMemo } from "react";
import type { Axis } from "../../../rl/race/axis.ts";
import { type JudgedRace, judgeRecorded, placesOfRun, type RaceRun } from "../../../rl/race/recordedRace.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useSetup } from "../plan/setup.ts";
import { type Combination, configOf, type ExperimentRun, experimentVersion, factsOf, isAllOver } from "../run/experiments.ts";
import type { Shape } from "../shapes/shape.ts";

function recordedOf(run: ExperimentRun): RaceRun {
  return { config: configOf(run), evaluations: factsOf(run).evaluations, metric: (key) => run.view.metrics.series(key) };
}

/** Where a run's steps lie on the axis. */
export function placesAlong(axis: Axis, run: ExperimentRun): (step: number) => number {
  return placesOfRun(axis, recordedOf(run));
}

export function judged(combinations: readonly Combination[], axis: Axis, asked: number | null, called: Shape["called"]): JudgedRace {
  const recorded = combinations.map(({ id, label, config, runs }) => ({ id, label, config, runs: runs.map(recordedOf) }));
  return judgeRecorded(recorded, axis, asked, isAllOver(combinations), called);
}

/** What these show by now, worked out again as their runs report. */
export function useJudged(combinations: readonly Combination[], { screen, called }: Shape): JudgedRace {
  const axis = useSetup(screen, (setup) => setup.axis);
  const target = useSetup(screen, (setup) => setup.target);
  const version = useVersion(experimentVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the runs' columns
  return useMemo(() => judged(combinations, axis, target, called), [combinations, axis, target, called, version]);
}
