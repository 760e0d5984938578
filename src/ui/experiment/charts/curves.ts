// What charts draw of an experiment along its axis: one line for each combination, with a band where it has several seeds, a branch from
// its fork on; told apart by letter, dashes and tone. And the settings in which combinations differ.
import { asideKeys, changedFields, valueNamed } from "../../../protocol/config/configFacts.ts";
import type { BaselineRecord } from "../../../protocol/records.ts";
import type { Axis } from "../../../rl/race/axis.ts";
import { bandOf, endOf } from "../../../rl/race/curve.ts";
import type { Measure } from "../../../rl/race/measures.ts";
import { placed } from "../../../rl/race/recordedRace.ts";
import { type ChartSpec, levelsOf, seriesOf } from "../../kit/charts/chartSpec.ts";
import type { LevelLine, Series } from "../../kit/charts/series/series.ts";
import { placesAlong, recordedOf } from "../result/judged.ts";
import { type Combination, configOf, type ExperimentRun, factsOf } from "../run/experiments.ts";

/** Dashes of the lines, by the combination's place; the first is solid. */
export const DASHES = ["", "7 4", "2 3", "10 3 2 3", "12 4", "1 4"] as const;

/** Seeds that lag far behind the farthest wait until they are this far, or a mean would jump as they come. */
const NEARLY = 0.9;

/** The first metric of a chart, or a measure, for every combination; a combination without points keeps its place, so that tones stay. */
export function linesOf(spec: ChartSpec, combinations: readonly Combination[], axis: Axis, measure?: Measure): readonly Series[] {
  return combinations.map((combination, place) => {
    const lines = runLines(spec, combination, axis, measure);
    const line = combination.runs.length > 1 ? bandLine(lines) : lines[0]!;
    const from = combination.forkStep === null ? {} : { from: placesAlong(axis, combination.runs[0]!)(combination.forkStep) };
    const named = { ...line, ...from, id: `${combination.id} ${line.id}`, label: `${combination.id} ${combination.short}` };
    return DASHES[place] ? { ...named, dash: DASHES[place] } : named;
  });
}

/** The first metric of a chart, or a measure, for each run of a combination. */
export function runLines(spec: ChartSpec, { runs }: Combination, axis: Axis, measure?: Measure): readonly Series[] {
  if (measure)
    return runs.map((run) => {
      const curve = placed(measure.measure(recordedOf(run)).curve, placesAlong(axis, run));
      return { id: measure.id, label: "", ...curve, ...(measure.isEvaluated ? { measured: true } : {}) };
    });
  const first = { ...spec, metrics: spec.metrics.slice(0, 1) };
  return runs.map((run) => lineOf(first, run, axis));
}

/** The line of one run along the axis; without points where it has none yet. */
function lineOf(spec: ChartSpec, run: ExperimentRun, axis: Axis): Series {
  const [found] = seriesOf(spec, { metric: (key) => run.view.metrics.series(key), evaluations: factsOf(run).evaluations });
  if (!found) return { id: spec.metrics[0]?.key ?? spec.id, label: "", xs: [], ys: [] };
  if (axis === "steps") return found;
  const place = placesAlong(axis, run);
  const along = (ys: ArrayLike<number>) => placed({ xs: Array.from(found.xs), ys: Array.from(ys) }, place);
  const bounds = found.lows && found.highs ? { lows: along(found.lows).ys, highs: along(found.highs).ys } : {};
  return { ...found, ...along(found.ys), ...bounds };
}

/** Mean of the seeds, and the band from the least to the greatest. */
function bandLine(lines: readonly Series[]): Series {
  const measured = lines.filter(({ xs }) => xs.length > 0);
  const [first] = measured;
  if (!first) return lines[0]!;
  const curves = measured.map(({ xs, ys }) => ({ xs: Array.from(xs), ys: Array.from(ys) }));
  const farthest = Math.max(...curves.map((curve) => endOf(curve) ?? 0));
  return { ...first, ...bandOf(curves.filter((curve) => (endOf(curve) ?? 0) >= NEARLY * farthest)) };
}

/** The random baseline, the same for all combinations of one task; starts differ and are not drawn. */
export function randomLevels(spec: ChartSpec, combinations: readonly Combination[]): readonly LevelLine[] {
  const all = combinations.flatMap(({ runs }) => runs.map((run) => factsOf(run).baselines));
  const baselines: readonly BaselineRecord[] = all.find(({ length }) => length > 0) ?? [];
  return levelsOf(
    spec,
    baselines.filter(({ kind }) => kind === "random"),
  );
}

/** Not listed: how one is computed, its seeds, the list a fork extends, and the algorithm, which is its name. */
const ASIDE: ReadonlySet<string> = new Set([...asideKeys, "algorithm", "seed", "changes"]);

/** Dotted names of the settings in which combinations differ; for branches, those their last change sets. */
export function differingSettings(combinations: readonly Combination[]): readonly string[] {
  const names = new Set<string>();
  const first = combinations[0]?.config;
  for (const { config, forkStep } of combinations) {
    if (!first) continue;
    if (forkStep !== null) for (const key of Object.keys(config.changes.at(-1)?.settings ?? {})) names.add(key);
    else for (const key of changedFields(first, config)) names.add(key);
  }
  return [...names].filter((name) => !ASIDE.has(name));
}

/** A combination's value of a setting, after its fork where it has one. */
export function settingOf({ config: planned, runs, forkStep }: Combination, name: string): unknown {
  const config = runs[0] ? configOf(runs[0]) : planned;
  const forked = forkStep === null ? undefined : planned.changes.at(-1)?.settings[name];
  if (forked !== undefined) return forked;
  return valueNamed(config, name);
}
