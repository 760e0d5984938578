// The run's charts, fed from the metric columns and the evaluations.
import { Suspense, useMemo } from "react";
import { usesCritic } from "../../rl/baselines/index.ts";
import { runCaption } from "../../rl/summary/runName.ts";
import { engine } from "../engine/client.ts";
import { goTo } from "../engine/route.ts";
import { useVersion } from "../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView, useTraced } from "../engine/store/useRunView.ts";
import { SmoothingControl } from "../kit/charts/ChartMenu.tsx";
import { type ChartSpec, levelsOf, seriesOf, specOf } from "../kit/charts/chartSpec.ts";
import { formatExact } from "../kit/charts/format.ts";
import { chartsFor } from "../kit/charts/index.ts";
import { MetricChart } from "../kit/charts/MetricChart.tsx";
import { type Constant, constantOf } from "../kit/charts/settings.ts";
import { FaultBoundary } from "../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { type SettingsChange, settingsChanges } from "../kit/words/settingText.ts";
import { ExplainedTitle } from "../kit/words/Term.tsx";
import { Throughput } from "./evaluate/Evaluation.tsx";
import { RunVerdict } from "./verdict/RunVerdict.tsx";

const RunOver = lazyPart(() => import("./over/RunOver.tsx"), "RunOver");

function openStep(step: number): void {
  goTo("rollouts", { step });
}

/** The run on screen in words, with its seed. */
function captionHere(): string {
  const { catalog } = engine.facts.getState();
  const { runId, config, recording } = engine.view.facts.getState();
  if (recording?.traced) return recording.traced.title;
  return catalog && config && runId !== null ? runCaption(catalog, { runId, config }) : "";
}

interface RunChartProps {
  readonly spec: ChartSpec;
  readonly changes: readonly number[];
}

function RunChart({ spec, changes }: RunChartProps) {
  const { metrics } = useRunView();
  const version = useVersion(metrics);
  const evaluations = useRun((facts) => facts.evaluations);
  const baselines = useRun((facts) => facts.baselines);
  // The version stands for the contents of the columns, the evaluations' charts do not depend on it.
  const marker = spec.source === "steps" ? version : 0;
  const facts = useMemo(
    () => ({ metric: (key: string) => metrics.series(key), evaluations, baselines }),
    [metrics, evaluations, baselines],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: see the marker above
  const series = useMemo(() => seriesOf(spec, facts), [spec, facts, marker]);
  const levels = useMemo(() => levelsOf(spec, baselines), [spec, baselines]);
  const config = useRun((run) => run.config);
  const catalog = useEngine((engine) => engine.catalog);
  const constant = useMemo(() => config && catalog && constantOf(spec.id, series, config, catalog), [spec, series, config, catalog]);
  const isOver = useRun(({ state, recording, step }) => state === "finished" || (recording !== null && step >= recording.lastStep));
  const isTraced = useTraced() !== null;
  // Another program's files say nothing of settings, and what they did not measure is no chart.
  if ((spec.ifReported || isTraced) && series.length === 0) return null;
  if (constant && !isTraced) return <ConstantLine spec={spec} constant={constant} />;
  return (
    <MetricChart
      spec={spec}
      series={series}
      levels={levels}
      changes={changes}
      height={spec.id === "reward" ? 240 : 160}
      onOpenStep={openStep}
      caption={captionHere}
      {...(isOver && series.length === 0 ? { emptyText: `This run has measured none. ${spec.help}` } : {})}
    />
  );
}

/** In the place of a chart that would be a level line. */
function ConstantLine({ spec, constant: { value, why } }: { readonly spec: ChartSpec; readonly constant: Constant }) {
  return (
    <p className="chart-constant note col-span-full">
      <b className="strong">
        <ExplainedTitle {...spec} />
      </b>{" "}
      {value !== null && `${formatExact(spec.format, value)}${spec.unit && ` ${spec.unit}`}: `}
      {why}.
    </p>
  );
}

/** What was changed on the way; each chart marks the places. */
function Changes({ changes }: { readonly changes: readonly SettingsChange[] }) {
  if (changes.length === 0) return null;
  return (
    <ul className="pb-1 note" aria-label="Settings changed on the way">
      {changes.slice(-SHOWN_CHANGES).map(({ afterStep, text }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: one step can be followed by several changes
        <li key={`${afterStep} ${place}`}>
          <span aria-hidden="true">◆ </span>after step {afterStep}: {text}
        </li>
      ))}
    </ul>
  );
}

/** The latest; an endless run can have been changed any number of times. */
const SHOWN_CHANGES = 6;

const NONE: readonly SettingsChange[] = [];

export function Charts() {
  const config = useRun((facts) => facts.config);
  const catalog = useEngine((facts) => facts.catalog);
  const changes = useMemo(() => (config && catalog ? settingsChanges(catalog, config) : NONE), [config, catalog]);
  const steps = useMemo(() => changes.map(({ afterStep }) => afterStep), [changes]);
  const kind = useRun((facts) => facts.config?.kind ?? "reinforcement");
  const hasCritic = useRun((facts) => facts.config !== null && usesCritic(facts.config));
  const isOver = useRun((facts) => facts.state === "finished" && facts.step > 0);
  const isTraced = useTraced() !== null;
  const specs = useMemo(
    () => chartsFor(kind, hasCritic).map((spec) => specOf(spec, config && !isTraced ? [config] : [])),
    [kind, hasCritic, config, isTraced],
  );
  return (
    <section className="charts" aria-label="Charts">
      <h2 className="visually-hidden">Charts</h2>
      {!isTraced && <RunVerdict />}
      {isOver && !isTraced && (
        <FaultBoundary part="What changed" isBrief>
          <Suspense fallback={null}>
            <RunOver />
          </Suspense>
        </FaultBoundary>
      )}
      <div className="charts-head line">
        <SmoothingControl />
        {!isTraced && <Throughput />}
      </div>
      <Changes changes={changes} />
      <div className="charts-grid grid">
        {specs.map((spec) => (
          <RunChart key={spec.id} spec={spec} changes={steps} />
        ))}
      </div>
    </section>
  );
}
