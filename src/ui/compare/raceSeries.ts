// What the charts of a race draw: one line per racer, a branch from its fork on, told apart by letter,
// dashes and tone.
import type { BaselineRecord } from "../../protocol/records.ts";
import { type ChartSpec, levelsOf, seriesOf } from "../charts/chartSpec.ts";
import type { Level, Series } from "../charts/series.ts";
import { changedFields } from "../store/draftConfig.ts";
import { type Racer, runOf } from "./raceStore.ts";

/** Dashes of the lines, by the racer's place; the first is solid. */
export const DASHES = ["", "7 4", "2 3", "10 3 2 3"] as const;

/** The first metric of a chart for every racer; a racer without points keeps its place, so that tones stay. */
export function raceLines(spec: ChartSpec, racers: readonly Racer[]): readonly Series[] {
  const first = { ...spec, metrics: spec.metrics.slice(0, 1) };
  return racers.map((racer, place) => {
    const [found] = seriesOf(first, {
      metric: (key) => racer.view.metrics.series(key),
      evaluations: runOf(racer).evaluations,
    });
    const line: Series = found ?? { id: first.metrics[0]?.key ?? spec.id, label: "", xs: [], ys: [] };
    const from = racer.forkStep === null ? {} : { from: racer.forkStep };
    const named = { ...line, ...from, id: `${racer.id} ${line.id}`, label: `${racer.id} ${shortened(racer.short)}` };
    return DASHES[place] ? { ...named, dash: DASHES[place] } : named;
  });
}

/** Room beside a chart is narrow: at most ten characters. */
export function shortened(label: string): string {
  return label.length > 10 ? `${label.slice(0, 9)}…` : label;
}

/** The random baseline, the same for all racers of one task; starts differ and are not drawn. */
export function raceLevels(spec: ChartSpec, racers: readonly Racer[]): readonly Level[] {
  const baselines: readonly BaselineRecord[] = racers.map((racer) => runOf(racer).baselines).find(({ length }) => length > 0) ?? [];
  return levelsOf(
    spec,
    baselines.filter(({ kind }) => kind === "random"),
  );
}

/** Not listed: how a racer is computed, the list a fork extends, and the algorithm, which is its name. */
const ASIDE: ReadonlySet<string> = new Set(["algorithm", "threads", "autosaveEvery", "changes"]);

/** Dotted names of the settings in which racers differ; for branches, those their last change sets. */
export function differingSettings(racers: readonly Racer[]): readonly string[] {
  const names = new Set<string>();
  const first = racers[0]?.config;
  for (const { config, forkStep } of racers) {
    if (!config || !first) continue;
    if (forkStep !== null) for (const key of Object.keys(config.changes.at(-1)?.settings ?? {})) names.add(key);
    else for (const key of changedFields(first, config)) names.add(key);
  }
  return [...names].filter((name) => !ASIDE.has(name));
}

/** A racer's value of a setting, after its fork where it has one. */
export function settingOf({ config, forkStep }: Racer, name: string): unknown {
  if (!config) return undefined;
  const forked = forkStep === null ? undefined : config.changes.at(-1)?.settings[name];
  if (forked !== undefined) return forked;
  const [record = "", key] = name.split(".");
  const value = config[record as keyof typeof config] as unknown;
  return key === undefined ? value : (value as Readonly<Record<string, unknown>>)[key];
}
