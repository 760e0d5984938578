// The racers' curves over each other: reward, held-out accuracy, and one more metric by choice.
import { useMemo, useState } from "react";
import type { ChartSpec } from "../charts/chartSpec.ts";
import { chartsFor } from "../charts/index.ts";
import { MetricChart } from "../charts/MetricChart.tsx";
import { SmoothingControl } from "../charts/SmoothingControl.tsx";
import { Choice } from "../controls/Choice.tsx";
import { useVersion } from "../store/versioned.ts";
import { raceLevels, raceLines } from "./raceSeries.ts";
import { type Racer, raceVersion } from "./raceStore.ts";

const FIRST = ["reward", "evaluation"];

function RaceChart({ spec, racers, height }: { readonly spec: ChartSpec; readonly racers: readonly Racer[]; readonly height: number }) {
  const version = useVersion(raceVersion);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the racers' columns
  const series = useMemo(() => raceLines(spec, racers), [spec, racers, version]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: and for their baselines
  const levels = useMemo(() => raceLevels(spec, racers), [spec, racers, version]);
  return <MetricChart spec={spec} series={series} levels={levels} height={height} />;
}

export function RaceCharts({ racers }: { readonly racers: readonly Racer[] }) {
  const specs = chartsFor(
    "reinforcement",
    racers.some(({ config }) => config?.advantageBaseline === "critic"),
  );
  const others = specs.filter(({ id }) => !FIRST.includes(id));
  const [thirdId, setThird] = useState("entropy");
  const third = others.find(({ id }) => id === thirdId) ?? others[0];
  return (
    <section className="race-charts" aria-label="Curves of the racers">
      <h2 className="visually-hidden">Curves</h2>
      <div className="race-charts-head line">
        <SmoothingControl />
        <Choice label="Third chart" value={third?.id ?? ""} options={others} onChange={setThird} />
      </div>
      {specs
        .filter(({ id }) => FIRST.includes(id))
        .map((spec) => (
          <RaceChart key={spec.id} spec={spec} racers={racers} height={240} />
        ))}
      {third && <RaceChart key={third.id} spec={third} racers={racers} height={200} />}
    </section>
  );
}
