// One chart with everything around it: title, readout of the last or the hovered value, the plot, its
// table, and its options.
import { memo, type RefObject, useEffect, useMemo, useRef, useState } from "react";
import { saveFile } from "../files.ts";
import { ExplainedTitle } from "../words/Term.tsx";
import { type ChartAction, ChartMenu } from "./ChartMenu.tsx";
import { ChartTable } from "./ChartTable.tsx";
import type { ChartSpec } from "./chartSpec.ts";
import { useChartView, zoomTo } from "./chartView.ts";
import { formatExact } from "./format.ts";
import { useOnScreen, useWidth } from "./plot/elementHooks.ts";
import { Plot } from "./plot/Plot.tsx";
import { PlotOverlay } from "./plot/PlotOverlay.tsx";
import { type PlotModel, plotModel, plotRect, pointsFor } from "./plot/plotModel.ts";
import { dotsAt, Readout, readoutText } from "./plot/Readout.tsx";
import type { Axis } from "./plot/scale.ts";
import { seriesCsv } from "./series/csv.ts";
import { type AxisWords, allSteps, fullRange, type LevelLine, type Series, STEP_AXIS, type StepRange, zoomRange } from "./series/series.ts";
import { drawnValues, withDrawnBands } from "./series/smooth.ts";
import { useInTurn } from "./series/turns.ts";
import "./charts.css";

const SHARE = [0, 1] as const;
/** Pixels of title and readout above the plot. */
const HEAD_HEIGHT = 60;

export interface MetricChartProps {
  readonly spec: Pick<ChartSpec, "id" | "title" | "unit" | "help" | "word" | "format" | "include" | "floor">;
  readonly series: readonly Series[];
  readonly levels: readonly LevelLine[];
  readonly height?: number;
  /** What the places of the series are; steps where left out. */
  readonly axis?: AxisWords;
  /** Steps after which a setting changed. */
  readonly changes?: readonly number[];
  /** What an empty chart says. */
  readonly emptyText?: string;
  /** A click on a step, to look into it. */
  readonly onOpenStep?: (step: number) => void;
  /** Whose curves they are, with the settings that make them: stands under what is saved of the chart. */
  readonly caption?: () => string;
}

/** What one drawing shows, taken together in the chart's turn. */
interface Shown {
  readonly series: readonly Series[];
  readonly levels: readonly LevelLine[];
  readonly range: StepRange | null;
  readonly smoothing: number;
  /** Pixels. */
  readonly width: number;
  /** Whether the plot is drawn yet, not the numbers alone. */
  readonly plotted: boolean;
}

function isPlot({ plotted, series }: Shown): boolean {
  return plotted && fullRange(series) !== null;
}

/** Whether the bottom of the axis is not where its values would begin, which a reader takes for granted. */
function startsOffZero({ kind, domain: [low] }: Axis): boolean {
  return kind === "linear" && low > 0;
}

function isFirstPlot(value: Shown, shown: Shown): boolean {
  return isPlot(value) && !isPlot(shown);
}

/** Waits its turn to draw, the first time as well, and keeps its place on the page meanwhile. */
export function MetricChart({ series, levels, height = 200, ...rest }: MetricChartProps) {
  const frame = useRef<HTMLDivElement>(null);
  const seen = useOnScreen(frame);
  const width = useWidth(frame);
  const range = useChartView((view) => view.range);
  const smoothing = useChartView((view) => view.smoothing);
  // Title and readout take the first turn, the plot one of its own.
  const [hasHead, setHasHead] = useState(false);
  const shown = useInTurn(
    useMemo(() => ({ series, levels, range, smoothing, width, plotted: hasHead }), [series, levels, range, smoothing, width, hasHead]),
    seen,
    isFirstPlot,
  );
  useEffect(() => setHasHead(shown !== null), [shown]);
  const newest = useRef(series);
  useEffect(() => {
    newest.current = series;
  }, [series]);
  return (
    <div ref={frame} className="min-w-0" data-chart={rest.spec.title} style={{ minHeight: height + HEAD_HEIGHT }}>
      {shown && <DrawnChart {...rest} height={height} shown={shown} newest={newest} />}
    </div>
  );
}

interface DrawnChartProps extends Omit<MetricChartProps, "series" | "levels" | "height"> {
  readonly shown: Shown;
  readonly height: number;
  /** All values there are, for what is saved: a chart that waits for its turn shows older ones. */
  readonly newest: RefObject<readonly Series[]>;
}

interface ModelOptions {
  readonly log: boolean;
  readonly isNeeded: boolean;
  readonly changes: readonly number[] | undefined;
}

function usePlotModel(
  spec: MetricChartProps["spec"],
  shown: Shown,
  smoothed: readonly ArrayLike<number>[],
  { log, isNeeded, changes }: ModelOptions,
) {
  const { series, levels, range, smoothing, width } = shown;
  const points = pointsFor(width);
  return useMemo(
    () =>
      isNeeded
        ? plotModel({
            series: withDrawnBands(series, smoothing),
            smoothed,
            levels,
            range,
            log,
            include: spec.include,
            points,
            ...(changes ? { changes } : {}),
            ...(spec.floor === undefined ? {} : { floor: spec.floor }),
            ...(spec.format === "share" ? { bounds: SHARE } : {}),
          })
        : null,
    [series, smoothed, smoothing, levels, range, log, spec.include, spec.floor, spec.format, points, changes, isNeeded],
  );
}

interface ChartTitleProps {
  readonly spec: MetricChartProps["spec"];
  readonly id: string;
  /** The axis of values that is on screen; null where none is. */
  readonly axis: PlotModel["axis"] | null;
}

function ChartTitle({ spec, id, axis }: ChartTitleProps) {
  return (
    <h3>
      <span id={id}>
        <ExplainedTitle {...spec} />
        {spec.unit && <span className="chart-unit soft"> {spec.unit}</span>}
      </span>
      {axis && startsOffZero(axis) && (
        <span className="chart-unit soft">
          {spec.unit && ","} axis from {formatExact(spec.format, axis.domain[0])}
        </span>
      )}
    </h3>
  );
}

const DrawnChart = memo(function DrawnChart({
  spec,
  shown,
  height,
  newest,
  axis = STEP_AXIS,
  changes,
  emptyText,
  onOpenStep,
  caption,
}: DrawnChartProps) {
  const { series, range, smoothing, width, plotted } = shown;
  const frame = useRef<HTMLElement>(null);
  const [log, setLog] = useState(false);
  const [table, setTable] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const full = useMemo(() => fullRange(series), [series]);
  const steps = useMemo(() => allSteps(series), [series]);
  const smoothed = useMemo(() => drawnValues(series, smoothing), [series, smoothing]);
  const model = usePlotModel(spec, shown, smoothed, { log, isNeeded: plotted || table, changes });

  const title = spec.unit ? `${spec.title} (${spec.unit})` : spec.title;
  const save = async (picture: "png" | "png-2x" | "svg") => {
    const { savePicture } = await import("./exportImage.ts");
    const rect = plotRect(width, height, model?.lines.length ?? 1);
    await savePicture(frame.current!, picture, { id: spec.id, title, caption: caption?.() ?? "", rect });
  };
  const showFrame = async () => {
    const { openChartFrame } = await import("./frame/openFrame.ts");
    openChartFrame({ title, isShare: spec.format === "share", series, levels: shown.levels, range }, caption?.() ?? "");
  };
  const fails = (error: unknown) => setFailure(`The image was not saved: ${String(error)}`);

  const act = (action: ChartAction) => {
    if (action === "log") setLog(!log);
    else if (action === "table") setTable(!table);
    else if (action === "csv") saveFile(`${spec.id}.csv`, new Blob([seriesCsv(newest.current, axis.name)], { type: "text/csv" }));
    else if (action === "png" || action === "png-2x" || action === "svg") save(action).catch(fails);
    else if (action === "frame") showFrame().catch(fails);
    else if (action === "zoom-all") zoomTo(null);
    else if (full) zoomTo(zoomRange(range ?? full, full[1], action === "zoom-in" ? 0.5 : 2, full));
  };

  const heading = `chart-${spec.id}`;
  const rect = plotRect(width, height, model?.lines.length ?? 1);
  return (
    <section className="chart min-w-0 relative rule-above" ref={frame} aria-labelledby={heading}>
      <header className="chart-head flex items-center justify-between gap-1">
        <ChartTitle spec={spec} id={heading} axis={model && !table ? model.axis : null} />
        {full && <ChartMenu title={spec.title} log={log} table={table} zoomed={range !== null} onAction={act} />}
      </header>
      <Readout series={series} smoothed={smoothed} format={spec.format} axis={axis} />
      {model?.logRefused && <p className="note">No value above 0, so the scale stays linear.</p>}
      {failure && <p role="alert">{failure}</p>}
      {!full && (
        <p className="chart-empty grid soft" style={{ minHeight: height }}>
          {emptyText ?? `No values yet. ${spec.help}`}
        </p>
      )}
      {full && table && <ChartTable title={spec.title} series={series} steps={steps} format={spec.format} axis={axis} />}
      {full && !table && (
        <div className="chart-plot relative" style={{ height }}>
          {model && width > 0 && (
            <>
              <Plot model={model} width={width} height={height} format={spec.format} />
              <PlotOverlay
                label={spec.title}
                axisName={axis.name}
                model={model}
                rect={rect}
                steps={steps}
                full={full}
                dotsAt={(step) => dotsAt(series, smoothed, step)}
                sayValues={(step) => readoutText(series, smoothed, step, spec.format, axis)}
                onOpenStep={onOpenStep}
              />
            </>
          )}
        </div>
      )}
    </section>
  );
});
