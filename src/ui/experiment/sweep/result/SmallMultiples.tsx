// One small chart for each combination of a sweep, along common axes; one step is read off all of them at once.
import { type CSSProperties, type PointerEvent, useMemo, useState } from "react";
import { measureText, shareText } from "../../../../protocol/quantities.ts";
import type { Measure } from "../../../../rl/race/race.ts";
import { REWARD_STEPS } from "../../../../rl/race/recordedRace.ts";
import { useVersion } from "../../../engine/store/metricSeries.ts";
import { Choice } from "../../../kit/controls/Choice.tsx";
import { Slider } from "../../../kit/controls/Slider.tsx";
import { type Racer, runOf } from "../../compare/raceStore.ts";
import { VerdictCell } from "../../compare/result/RacerCells.tsx";
import { sweepVersion } from "../sweepStore.ts";
import { type Drawn, drawnFirst, type Multiple, type Multiples, meanAt, multiplesOf, pathOf } from "./multiples.ts";
import { combinationState } from "./sweepTexts.ts";

const [WIDTH, HEIGHT] = [200, 84];
const TITLES: Readonly<Record<Drawn, string>> = {
  reward: `Reward, mean of ${REWARD_STEPS} steps`,
  greedy: "Right, likeliest answers",
  sampled: "Right, sampled answers",
};

const textOf = (drawn: Drawn, value: number) => (drawn === "reward" ? measureText(value) : shareText(value));

interface SmallChartProps {
  readonly racer: Racer;
  readonly chart: Multiple;
  readonly bounds: Multiples;
  readonly drawn: Drawn;
  readonly step: number;
  readonly isBest: boolean;
  readonly onPoint: (step: number | null) => void;
}

function SmallChart({ racer, chart, bounds, drawn, step, isBest, onPoint }: SmallChartProps) {
  const read = meanAt(chart, step);
  const said = read
    ? `${racer.label}: ${TITLES[drawn]} ${textOf(drawn, read.value)} at step ${step}, ${read.seeds === 1 ? "one seed" : `mean of ${read.seeds} seeds`}`
    : `${racer.label}: nothing measured at step ${step}`;
  const cursor = ((step - bounds.xs[0]) / (bounds.xs[1] - bounds.xs[0])) * WIDTH;
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onPoint(Math.round(bounds.xs[0] + Math.min(1, Math.max(0, (event.clientX - left) / width)) * (bounds.xs[1] - bounds.xs[0])));
  };
  return (
    <li className="multiple">
      <p className="multiple-name">
        <b>{racer.id}</b> {racer.label} {isBest && <span className="multiple-best">highest</span>}
      </p>
      <p className="multiple-read">
        <b>{read ? textOf(drawn, read.value) : "–"}</b>{" "}
        <span className="fine-print">{read && read.seeds > 1 ? `mean of ${read.seeds} seeds` : read ? "one seed" : "nothing yet"}</span>
      </p>
      <div className="multiple-chart">
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={said}
          onPointerMove={point}
          onPointerLeave={() => onPoint(null)}
        >
          {chart.seeds.map((curve, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: seeds have no other name here, and keep their places
            <path key={i} className="multiple-seed" d={pathOf(curve, bounds, WIDTH, HEIGHT)} />
          ))}
          <path className="multiple-mean" d={pathOf(chart.mean, bounds, WIDTH, HEIGHT)} />
          <line className="multiple-cursor" x1={cursor} x2={cursor} y1={0} y2={HEIGHT} />
        </svg>
        <span className="multiple-top fine-print" aria-hidden="true">
          {textOf(drawn, bounds.ys[1])}
        </span>
        <span className="multiple-bottom fine-print" aria-hidden="true">
          {textOf(drawn, bounds.ys[0])}
        </span>
      </div>
      <p className="multiple-state fine-print">
        <VerdictCell racer={racer} /> <span>{combinationState(racer)}</span>
      </p>
    </li>
  );
}

interface SmallMultiplesProps {
  readonly racers: readonly Racer[];
  readonly measure: Measure;
  /** How many values the second field has; 1 without one. */
  readonly columns: number;
  readonly bestId: string | null;
}

export function SmallMultiples({ racers, measure, columns, bestId }: SmallMultiplesProps) {
  const version = useVersion(sweepVersion);
  const [chosen, setChosen] = useState<Drawn | null>(null);
  const [held, setHeld] = useState<number | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  const drawn = chosen ?? drawnFirst(measure);
  const isEvaluated = racers.some(({ runs }) => runs.some((run) => runOf(run).evaluations.length > 0));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the runs' columns
  const bounds = useMemo(() => multiplesOf(racers, drawn), [racers, drawn, version]);
  const last = bounds.xs[1];
  // Where most have come by now, until somebody chooses a step.
  const reached = Math.min(...bounds.charts.flatMap(({ mean }) => mean.xs.at(-1) ?? []), last);
  const step = Math.min(last, pointed ?? held ?? reached);
  const options = (isEvaluated ? (["greedy", "sampled", "reward"] as const) : (["reward"] as const)).map((id) => ({
    id,
    title: TITLES[id],
  }));
  return (
    <section className="stack" aria-label="Curves of the combinations">
      <div className="line multiples-head">
        <Choice label="Drawn" value={isEvaluated ? drawn : "reward"} options={options} onChange={(id) => setChosen(id as Drawn)} />
        <Slider
          className="multiples-step aside"
          label="Step"
          text={String(step)}
          value={step}
          minValue={0}
          maxValue={last}
          onChange={setHeld}
        />
      </div>
      <ol className="multiples" style={{ "--columns": columns } as CSSProperties} data-grid={columns > 1 || undefined}>
        {racers.map((racer, i) => (
          <SmallChart
            key={racer.id}
            racer={racer}
            chart={bounds.charts[i]!}
            bounds={bounds}
            drawn={drawn}
            step={step}
            isBest={racer.id === bestId}
            onPoint={setPointed}
          />
        ))}
      </ol>
      <p className="fine-print">
        All charts have the same axes: steps 0 to {last}, {TITLES[drawn].toLowerCase()} {textOf(drawn, bounds.ys[0])} to{" "}
        {textOf(drawn, bounds.ys[1])}. A thin line is one seed, the thick one their mean.
      </p>
    </section>
  );
}
