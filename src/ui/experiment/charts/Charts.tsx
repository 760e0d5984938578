// The curves of an experiment: over each other, reward, held-out accuracy and one more metric by choice; or a small chart for each
// combination, with one metric by choice.

import { useMemo, useState } from "react";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { usesCritic } from "../../../rl/baselines/index.ts";
import { AXES, type Axis, placeText } from "../../../rl/race/axis.ts";
import type { Measure } from "../../../rl/race/measures.ts";
import type { JudgedRace } from "../../../rl/race/recordedRace.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { SmoothingControl } from "../../kit/charts/ChartMenu.tsx";
import { type ChartSpec, specOf } from "../../kit/charts/chartSpec.ts";
import { chartsFor } from "../../kit/charts/index.ts";
import { MetricChart } from "../../kit/charts/MetricChart.tsx";
import { NOT_TOLD } from "../../kit/charts/settings.ts";
import { Choice } from "../../kit/controls/Choice.tsx";
import { useSetup } from "../plan/setup.ts";
import { ChoiceLine } from "../result/Reading.tsx";
import { type Combination, experimentVersion, factsOf, isAllOver, runsOf } from "../run/experiments.ts";
import type { Shape } from "../shapes/shape.ts";
import { DASHES, linesOf, randomLevels } from "./curves.ts";
import { drawables } from "./multiples.ts";
import { SmallMultiples } from "./SmallMultiples.tsx";

const FIRST = ["reward", "evaluation"];

interface OverChartProps {
  readonly spec: ChartSpec;
  readonly combinations: readonly Combination[];
  readonly axis: Axis;
  readonly height: number;
  /** What is drawn, where the chart itself draws something else. */
  readonly measure?: Measure | undefined;
}

function OverChart({ spec, combinations, axis, height, measure }: OverChartProps) {
  const version = useVersion(experimentVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the runs' columns
  const series = useMemo(() => linesOf(spec, combinations, axis, measure), [spec, combinations, axis, measure, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: and for their baselines
  const levels = useMemo(() => randomLevels(spec, combinations), [spec, combinations, version]);
  const words = useMemo(() => ({ name: AXES[axis].one, at: (place: number) => placeText(axis, place) }), [axis]);
  // A chart draws in its turn, up to two seconds after the table.
  const emptyText = series.some(({ xs }) => xs.length > 0)
    ? "Drawing the curves …"
    : isAllOver(combinations)
      ? `No run has measured it. ${spec.help}`
      : null;
  const caption = () =>
    combinations.map(({ id, label, runs }) => `${id}: ${label}${runs.length > 1 ? ` (${runs.length} seeds)` : ""}`).join(". ");
  return (
    <MetricChart
      spec={spec}
      series={series}
      levels={levels}
      height={height}
      axis={words}
      caption={caption}
      {...(emptyText === null ? {} : { emptyText })}
    />
  );
}

function specsFor(combinations: readonly Combination[]): readonly ChartSpec[] {
  const configs = combinations.map(({ config }) => config);
  const hasCritic = configs.some(usesCritic);
  const isOnServers = configs.every(({ backend }) => backend === "tinker");
  return chartsFor("reinforcement", hasCritic)
    .filter(({ id }) => FIRST.includes(id) || !(isOnServers && NOT_TOLD[id] !== undefined))
    .map((spec) => specOf(spec, configs));
}

/** Accuracies are drawn as they are compared: greedy answers only where somebody compares those. */
function asCompared(spec: ChartSpec, { measure }: JudgedRace): ChartSpec {
  if (spec.id !== "evaluation" || measure.id === "greedy") return spec;
  return { ...spec, title: "Accuracy of samples", metrics: spec.metrics.filter(({ key }) => key === "sampledAccuracy") };
}

/** The combination that is highest where all are compared. */
function bestOf({ standings }: JudgedRace): string | null {
  const means = standings.map(({ reached }) => meanOf(reached.values));
  return standings[means.indexOf(Math.max(...means))]?.id ?? null;
}

interface ChartsProps {
  readonly combinations: readonly Combination[];
  readonly shape: Shape;
  readonly result: JudgedRace;
  /** How many values the second field has; 1 without one. */
  readonly columns: number;
}

const FORMS = ["over each other", "one each"] as const;

export function Charts(props: ChartsProps) {
  const { combinations, shape } = props;
  const [chosen, setChosen] = useState(shape.curves);
  // More lines than dashes are not told apart.
  const form = combinations.length > DASHES.length ? "one each" : chosen;
  const axis = useSetup(shape.screen, (setup) => setup.axis);
  const specs = useMemo(() => specsFor(combinations), [combinations]);
  const own = { ...props, axis, specs };
  return (
    <section className="stack gap-3" aria-label={`Curves of the ${shape.words.combinations}`}>
      <h2 className="visually-hidden">Curves</h2>
      {combinations.length <= DASHES.length && (
        <ChoiceLine id="curves" title="Curves" options={FORMS.map((id) => ({ id, title: id }))} value={form} onChange={setChosen} />
      )}
      {form === "one each" ? <OneEach {...own} /> : <OverEachOther {...own} />}
    </section>
  );
}

interface DrawnProps extends ChartsProps {
  readonly axis: Axis;
  readonly specs: readonly ChartSpec[];
}

const firstOnly = (specs: readonly ChartSpec[]) => specs.filter(({ id }) => FIRST.includes(id));

function OverEachOther({ combinations, result, axis, specs }: DrawnProps) {
  const others = specs.filter(({ id }) => !FIRST.includes(id));
  const [thirdId, setThird] = useState("entropy");
  const third = others.find(({ id }) => id === thirdId) ?? others[0];
  const firsts = firstOnly(specs).map((spec) => asCompared(spec, result));
  const { measure } = result;
  // What runs are compared by is drawn too, where it is none of these.
  const compared = useMemo(() => drawables(firstOnly(specs), true, measure).find((drawn) => drawn.measure), [specs, measure]);
  return (
    <>
      <p className="aside">
        Along {AXES[axis].many}. {AXES[axis].explains}
        {combinations.some(({ runs }) => runs.length > 1) &&
          " A line is the mean over the seeds. Its band goes from the lowest seed to the highest."}
      </p>
      <div className="race-charts-head line justify-between">
        <SmoothingControl />
        <Choice label="Third chart" value={third?.id ?? ""} options={others} onChange={setThird} />
      </div>
      {compared && <OverChart combinations={combinations} axis={axis} spec={compared.spec} measure={compared.measure} height={240} />}
      {firsts.map((spec) => (
        <OverChart key={spec.id} spec={spec} combinations={combinations} axis={axis} height={240} />
      ))}
      {third && <OverChart key={third.id} spec={third} combinations={combinations} axis={axis} height={200} />}
    </>
  );
}

function OneEach({ combinations, result, axis, specs, columns }: DrawnProps) {
  const isEvaluated = runsOf(combinations).some((run) => factsOf(run).evaluations.length > 0);
  const { measure } = result;
  const options = useMemo(() => drawables(specs, isEvaluated, measure), [specs, isEvaluated, measure]);
  const [chosen, setChosen] = useState<string | null>(null);
  const drawn = options.find(({ id }) => id === (chosen ?? result.measure.id)) ?? options.find(({ id }) => id === "reward")!;
  return (
    <SmallMultiples combinations={combinations} drawn={drawn} axis={axis} columns={columns} bestId={bestOf(result)}>
      <Choice label="Drawn" value={drawn.id} options={options} onChange={setChosen} />
    </SmallMultiples>
  );
}
