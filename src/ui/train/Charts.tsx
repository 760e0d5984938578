// The run's charts, fed from the metric columns and the evaluations.
import { useMemo } from "react";
import { type ChartSpec, levelsOf, seriesOf } from "../charts/chartSpec.ts";
import { chartsFor } from "../charts/index.ts";
import { MetricChart } from "../charts/MetricChart.tsx";
import { SmoothingControl } from "../charts/SmoothingControl.tsx";
import { goTo } from "../route.ts";
import { useRun, useRunView } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";
import { RunVerdict } from "../verdict/RunVerdict.tsx";
import { Throughput } from "./Evaluation.tsx";

function openStep(step: number): void {
  goTo("rollouts", new URLSearchParams({ step: String(step) }));
}

function RunChart({ spec }: { readonly spec: ChartSpec }) {
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
  const noReference = useRun((run) => spec.id === "kl" && run.config?.klCoef === 0);
  return (
    <MetricChart
      spec={spec}
      series={series}
      levels={levels}
      height={spec.id === "reward" ? 240 : 160}
      onOpenStep={openStep}
      {...(noReference ? { emptyText: "The KL weight β is 0, so there is no reference to measure from." } : {})}
    />
  );
}

export function Charts() {
  const kind = useRun((facts) => facts.config?.kind ?? "reinforcement");
  const hasCritic = useRun((facts) => facts.config?.advantageBaseline === "critic");
  return (
    <section className="charts" aria-label="Charts">
      <h2 className="visually-hidden">Charts</h2>
      {kind === "reinforcement" && <RunVerdict />}
      <div className="charts-head line">
        <SmoothingControl />
        <Throughput />
      </div>
      <div className="charts-grid">
        {chartsFor(kind, hasCritic).map((spec) => (
          <RunChart key={spec.id} spec={spec} />
        ))}
      </div>
    </section>
  );
}
