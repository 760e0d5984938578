// The racers' curves over each other: reward, held-out accuracy, and one more metric by choice.
import { useMemo, useState } from "react";
import { AXES, type Axis, placeText } from "../../../../rl/race/axis.ts";
import type { Measure } from "../../../../rl/race/race.ts";
import { useVersion } from "../../../engine/store/metricSeries.ts";
import { SmoothingControl } from "../../../kit/charts/ChartMenu.tsx";
import { type ChartSpec, specOf } from "../../../kit/charts/chartSpec.ts";
import { chartsFor } from "../../../kit/charts/index.ts";
import { MetricChart } from "../../../kit/charts/MetricChart.tsx";
import { NOT_TOLD } from "../../../kit/charts/settings.ts";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { type Racer, raceVersion } from "../raceStore.ts";
import { raceLevels, raceLines } from "./raceSeries.ts";

const FIRST = ["reward", "evaluation"];

interface RaceChartProps {
  readonly spec: ChartSpec;
  readonly racers: readonly Racer[];
  readonly axis: Axis;
  readonly height: number;
}

function RaceChart({ spec, racers, axis, height }: RaceChartProps) {
  const version = useVersion(raceVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the racers' columns
  const series = useMemo(() => raceLines(spec, racers, axis), [spec, racers, axis, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: and for their baselines
  const levels = useMemo(() => raceLevels(spec, racers), [spec, racers, version]);
  const words = useMemo(() => ({ name: AXES[axis].one, at: (place: number) => placeText(axis, place) }), [axis]);
  // A chart draws in its turn, up to two seconds after the table.
  const begun = series.some(({ xs }) => xs.length > 0) ? { emptyText: "The curves are about to be drawn." } : {};
  const caption = () =>
    racers.map(({ id, label, runs }) => `${id}: ${label}${runs.length > 1 ? ` (${runs.length} seeds)` : ""}`).join(". ");
  return <MetricChart spec={spec} series={series} levels={levels} height={height} axis={words} caption={caption} {...begun} />;
}

/** Charts of a race; accuracies are drawn as they are compared, so by samples where a task has one problem only. */
function specsFor(racers: readonly Racer[], measure: Measure): readonly ChartSpec[] {
  const configs = racers.flatMap(({ config }) => config ?? []);
  const hasCritic = configs.some(({ advantageBaseline }) => advantageBaseline === "critic");
  const specs = chartsFor("reinforcement", hasCritic).map((spec) => specOf(spec, configs));
  if (measure !== "sampled") return specs;
  const bySamples = ({ key }: ChartSpec["metrics"][number]) => key === "sampledAccuracy";
  return specs.map((spec) =>
    spec.id === "evaluation" ? { ...spec, title: "Accuracy of samples", metrics: spec.metrics.filter(bySamples) } : spec,
  );
}

interface RaceChartsProps {
  readonly racers: readonly Racer[];
  readonly axis: Axis;
  readonly measure: Measure;
}

export function RaceCharts({ racers, axis, measure }: RaceChartsProps) {
  const specs = useMemo(() => specsFor(racers, measure), [racers, measure]);
  const isOnServers = racers.every(({ config }) => config?.backend === "tinker");
  const others = specs.filter(({ id }) => !FIRST.includes(id) && !(isOnServers && NOT_TOLD[id] !== undefined));
  const [thirdId, setThird] = useState("entropy");
  const third = others.find(({ id }) => id === thirdId) ?? others[0];
  return (
    <section className="race-charts stack" aria-label="Curves of the racers">
      <h2 className="visually-hidden">Curves</h2>
      <p className="aside">
        Along {AXES[axis].many}. {AXES[axis].explains}
        {racers.some(({ runs }) => runs.length > 1) && " A line is the mean over the seeds, its band goes from the least to the greatest."}
      </p>
      <div className="race-charts-head line">
        <SmoothingControl />
        <Choice label="Third chart" value={third?.id ?? ""} options={others} onChange={setThird} />
      </div>
      {specs
        .filter(({ id }) => FIRST.includes(id))
        .map((spec) => (
          <RaceChart key={spec.id} spec={spec} racers={racers} axis={axis} height={240} />
        ))}
      {third && <RaceChart key={third.id} spec={third} racers={racers} axis={axis} height={200} />}
    </section>
  );
}
