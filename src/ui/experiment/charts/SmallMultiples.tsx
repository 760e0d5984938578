// One small chart for each combination, along common axes; one place is read off all of them at once.
import { type CSSProperties, type PointerEvent, type ReactNode, useMemo, useState } from "react";
import { capital, measureText, shareText } from "../../../protocol/quantities.ts";
import { AXES, type Axis, placeText, shortCount } from "../../../rl/race/axis.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { Slider } from "../../kit/controls/Slider.tsx";
import { ExplainedTitle } from "../../kit/words/Term.tsx";
import { VerdictCell } from "../result/Cells.tsx";
import { combinationState } from "../result/words.ts";
import { type Combination, experimentVersion, isAllOver } from "../run/experiments.ts";
import { type Drawn, type Multiple, type Multiples, meanAt, multiplesOf, pathOf } from "./multiples.ts";

const WIDTH = 200;
const HEIGHT = 84;

const textOf = ({ spec }: Drawn, value: number) => (spec.format === "share" ? shareText(value) : measureText(value));

interface SmallChartProps {
  readonly combination: Combination;
  readonly chart: Multiple;
  readonly bounds: Multiples;
  readonly drawn: Drawn;
  readonly axis: Axis;
  readonly place: number;
  readonly isBest: boolean;
  readonly onPoint: (place: number | null) => void;
}

function SmallChart({ combination, chart, bounds, drawn, axis, place, isBest, onPoint }: SmallChartProps) {
  const { id, label } = combination;
  const read = meanAt(chart, place);
  const at = `at ${placeText(axis, place)}`;
  const isOver = isAllOver([combination]);
  const said = read
    ? `${label}: ${drawn.title} ${textOf(drawn, read.value)} ${at}, ${read.seeds === 1 ? "one seed" : `mean of ${read.seeds} seeds`}`
    : `${label}: nothing measured ${at}`;
  const cursor = ((place - bounds.xs[0]) / (bounds.xs[1] - bounds.xs[0])) * WIDTH;
  const point = (event: PointerEvent<SVGSVGElement>) => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    onPoint(Math.round(bounds.xs[0] + Math.min(1, Math.max(0, (event.clientX - left) / width)) * (bounds.xs[1] - bounds.xs[0])));
  };
  return (
    <li className="multiple grid content-start min-w-0">
      <p className="wrap-anywhere">
        <b>{id}</b> {label} {isBest && <span className="multiple-best small rounded">highest</span>}
      </p>
      <p className="multiple-read">
        <b>{read ? textOf(drawn, read.value) : "–"}</b>{" "}
        <span className="fine-print">
          {read && read.seeds > 1 ? `mean of ${read.seeds} seeds` : read ? "one seed" : isOver ? "not measured" : "nothing yet"}
        </span>
      </p>
      <div className="multiple-chart relative on-surface">
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
      <p className="multiple-state fine-print flex flex-wrap content-start">
        <VerdictCell combination={combination} /> <span>{combinationState(combination)}</span>
      </p>
    </li>
  );
}

interface SmallMultiplesProps {
  readonly combinations: readonly Combination[];
  readonly drawn: Drawn;
  readonly axis: Axis;
  /** How many values the second field has; 1 without one. */
  readonly columns: number;
  readonly bestId: string | null;
  /** Stands beside the slider. */
  readonly children: ReactNode;
}

export function SmallMultiples({ combinations, drawn, axis, columns, bestId, children }: SmallMultiplesProps) {
  const version = useVersion(experimentVersion);
  const [held, setHeld] = useState<number | null>(null);
  const [pointed, setPointed] = useState<number | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the contents of the runs' columns
  const bounds = useMemo(() => multiplesOf(combinations, drawn, axis), [combinations, drawn, axis, version]);
  const last = bounds.xs[1];
  // Where most have come by now, until somebody chooses a place.
  const reached = Math.min(...bounds.charts.flatMap(({ mean }) => mean.xs.at(-1) ?? []), last);
  const place = Math.min(last, pointed ?? held ?? reached);
  const { one, many } = AXES[axis];
  return (
    <>
      <div className="line race-charts-head justify-between">
        {children}
        <Slider
          className="multiples-step aside grid items-center gap-1"
          label={capital(one)}
          text={shortCount(place)}
          value={place}
          minValue={0}
          maxValue={last}
          onChange={setHeld}
        />
      </div>
      <h3>
        <ExplainedTitle {...drawn.spec} title={drawn.title} />
      </h3>
      <ol className="multiples grid gap-2" style={{ "--columns": columns } as CSSProperties} data-grid={columns > 1 || undefined}>
        {combinations.map((combination, i) => (
          <SmallChart
            key={combination.id}
            combination={combination}
            bounds={bounds}
            drawn={drawn}
            axis={axis}
            place={place}
            chart={bounds.charts[i]!}
            isBest={combination.id === bestId}
            onPoint={setPointed}
          />
        ))}
      </ol>
      <p className="fine-print">
        All charts have the same axes: {many} 0 to {shortCount(last)}, {drawn.title.toLowerCase()} {textOf(drawn, bounds.ys[0])} to{" "}
        {textOf(drawn, bounds.ys[1])}. A thin line is one seed, the thick one their mean.
      </p>
    </>
  );
}
