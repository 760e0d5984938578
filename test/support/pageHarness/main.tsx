// A page for looking at charts and rollouts without an engine: it replays a file of recorded events,
// "events.json" beside it or the file named by ?events=. Not part of the product.
import { useMemo } from "react";
import { createRoot } from "react-dom/client";
import "../../../src/ui/kit/theme/tokens.css";
import "../../../src/ui/kit/theme/base.css";
import "../../../src/ui/kit/theme/layout.css";
import { useHash } from "../../../src/ui/engine/address/hash.ts";
import { parseRoute } from "../../../src/ui/engine/route.ts";
import { useVersion } from "../../../src/ui/engine/store/metricSeries.ts";
import { createRunView } from "../../../src/ui/engine/store/runView.ts";
import { ShownRun, useRun, useRunView } from "../../../src/ui/engine/store/useRunView.ts";
import { SmoothingControl } from "../../../src/ui/kit/charts/ChartMenu.tsx";
import { type ChartFacts, type ChartSpec, levelsOf, seriesOf } from "../../../src/ui/kit/charts/chartSpec.ts";
import { chartsFor } from "../../../src/ui/kit/charts/index.ts";
import { MetricChart } from "../../../src/ui/kit/charts/MetricChart.tsx";
import { RolloutsScreen } from "../../../src/ui/step/rollouts/RolloutsScreen.tsx";

function Chart({ spec }: { readonly spec: ChartSpec }) {
  const { metrics } = useRunView();
  const version = useVersion(metrics);
  const evaluations = useRun((run) => run.evaluations);
  const baselines = useRun((run) => run.baselines);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the columns' contents
  const facts = useMemo(
    (): ChartFacts => ({ metric: (key) => metrics.series(key), evaluations, baselines }),
    [metrics, version, evaluations, baselines],
  );
  const series = useMemo(() => seriesOf(spec, facts), [spec, facts]);
  const levels = useMemo(() => levelsOf(spec, baselines), [spec, baselines]);
  return <MetricChart spec={spec} series={series} levels={levels} />;
}

function Charts() {
  const kind = useRun((run) => run.config?.kind ?? "reinforcement");
  return (
    <>
      <SmoothingControl />
      <div style={{ display: "grid", gap: 24, gridTemplateColumns: "repeat(auto-fill, minmax(min(100%, 300px), 1fr))" }}>
        {chartsFor(kind).map((spec) => (
          <Chart key={spec.id} spec={spec} />
        ))}
      </div>
    </>
  );
}

function Page() {
  const { screen } = parseRoute(useHash());
  return <main style={{ padding: 16 }}>{screen === "rollouts" ? <RolloutsScreen /> : <Charts />}</main>;
}

const view = createRunView();
const options = new URLSearchParams(window.location.search);
document.documentElement.dataset.theme = options.get("theme") ?? "light";
if (options.get("events") !== "none") {
  const response = await fetch(options.get("events") ?? "./events.json");
  view.apply(await response.json());
}
// For measuring redraws from the console.
Object.assign(window, { metrics: view.metrics });
createRoot(document.getElementById("root")!).render(
  <ShownRun view={view}>
    <Page />
  </ShownRun>,
);
