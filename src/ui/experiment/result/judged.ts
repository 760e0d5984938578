// The runs on the page as their judge reads them.
import { useMemo } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import { paidParts } from "../../../protocol/run/paidParts.ts";
import type { Axis, Reading } from "../../../rl/race/axis.ts";
import { type ComparedRun, type Measure, measuresFor } from "../../../rl/race/measures.ts";
import { type JudgedRace, judgeRecorded, placesOfRun } from "../../../rl/race/recordedRace.ts";
import { engine } from "../../engine/client.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useSetup } from "../plan/setup.ts";
import { type Combination, configOf, type ExperimentRun, experimentVersion, factsOf, isAllOver } from "../run/experiments.ts";
import type { Shape } from "../shapes/shape.ts";

/** A run as its judge reads it. */
export function recordedOf(run: ExperimentRun): ComparedRun {
  const [config, { catalog }] = [configOf(run), engine.facts.getState()];
  const { evaluations } = factsOf(run);
  return { config, evaluations, rewards: catalog && paidParts(config, catalog), metric: (key) => run.view.metrics.series(key) };
}

/** Where a run's steps lie on the axis. */
export function placesAlong(axis: Axis, run: ExperimentRun): (step: number) => number {
  return placesOfRun(axis, { config: configOf(run), metric: (key) => run.view.metrics.series(key) });
}

/** What runs of these configurations will be able to be compared by, before anything of them is measured. */
export function measuresOfConfigs(catalog: Catalog, configs: readonly RunConfig[]): readonly Measure[] {
  const metric = () => ({ steps: [], values: [] });
  return measuresFor(configs.map((config) => ({ config, evaluations: [], rewards: paidParts(config, catalog), metric })));
}

export function judged(combinations: readonly Combination[], reading: Reading, called: string): JudgedRace {
  const recorded = combinations.map(({ id, label, config, runs }) => ({ id, label, config, runs: runs.map(recordedOf) }));
  return judgeRecorded(recorded, reading, isAllOver(combinations), called);
}

/** What these show by now, worked out again as their runs report. */
export function useJudged(combinations: readonly Combination[], { screen, words }: Shape): JudgedRace {
  const axis = useSetup(screen, (setup) => setup.axis);
  const measure = useSetup(screen, (setup) => setup.measure);
  const target = useSetup(screen, (setup) => setup.target);
  const isPaired = useSetup(screen, (setup) => setup.isPaired);
  const version = useVersion(experimentVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the runs' columns
  return useMemo(
    () => judged(combinations, { axis, measure, target, isPaired }, words.what),
    [combinations, axis, measure, target, isPaired, words, version],
  );
}
