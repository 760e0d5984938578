// The drawn part of a chart. Recharts lives in this file only, so that it loads as its own chunk after
// the first screen stands. No animation, no tooltip: hovering is the overlay's and costs no redraw.
import { type ComponentType, createContext, memo, use, useMemo } from "react";
import { createRoot } from "react-dom/client";
import { ComposedChart, XAxis, YAxis } from "recharts";
import { decadeLabels, type Format, tickLabels } from "../format.ts";
import { Events, Labels, Marks, PlotLines, type PlotLinesProps, Rules } from "./PlotLines.tsx";
import { type PlotModel, plotModel, plotRect } from "./plotModel.ts";

export interface PlotProps {
  readonly model: PlotModel;
  readonly width: number;
  readonly height: number;
  readonly format: Format;
}

/** The axes come from the model and the layers draw the rest, so the library is given no points. */
const NO_DATA: never[] = [];
/** Distance of a label's line from its tick. */
const BELOW = "0.71em";
const MIDDLE = "0.35em";

/** The model for the layers inside the library's chart, which itself redraws only with its axes. */
const ShownModel = createContext<PlotModel | null>(null);

/** Memoised: the same model is never drawn twice. */
export const Plot = memo(function Plot({ model, ...size }: PlotProps) {
  const { range, xTicks, axis, lines } = model;
  const key = JSON.stringify([range, xTicks, axis, lines.length]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the contents
  const axes = useMemo(() => ({ range, xTicks, axis, lines: lines.length }), [key]);
  return (
    <ShownModel value={model}>
      <Axes axes={axes} {...size} />
    </ShownModel>
  );
});

interface AxesProps extends Omit<PlotProps, "model"> {
  readonly axes: Pick<PlotModel, "range" | "xTicks" | "axis"> & { readonly lines: number };
}

const Axes = memo(function Axes({ axes: { range, xTicks, axis, lines }, width, height, format }: AxesProps) {
  const rect = plotRect(width, height, lines);
  const { steps, values } = useMemo(() => {
    const write = axis.kind === "log" ? decadeLabels : tickLabels;
    return {
      steps: tickOf("middle", BELOW, xTicks, tickLabels(xTicks, "number")),
      values: tickOf("end", MIDDLE, axis.ticks, write(axis.ticks, format)),
    };
  }, [xTicks, axis, format]);
  const margin = { top: rect.top, left: 0, right: width - rect.left - rect.width, bottom: 0 };
  return (
    <ComposedChart width={width} height={height} data={NO_DATA} margin={margin} accessibilityLayer={false}>
      <Layer draw={Rules} width={width} height={height} />
      <XAxis
        dataKey="x"
        type="number"
        domain={[...range]}
        ticks={[...xTicks]}
        allowDataOverflow
        height={24}
        tick={steps}
        niceTicks="none"
        interval={0}
        tickLine={false}
        axisLine={{ stroke: "var(--rule-strong)" }}
      />
      <YAxis
        type="number"
        domain={[...axis.domain]}
        allowDataOverflow
        ticks={[...axis.ticks]}
        scale={axis.kind}
        width={rect.left}
        tick={values}
        niceTicks="none"
        interval={0}
        tickLine={false}
        axisLine={false}
      />
      <Layer draw={PlotLines} width={width} height={height} />
      <Layer draw={Marks} width={width} height={height} />
      <Layer draw={format === "share" ? ShareEvents : NumberEvents} width={width} height={height} />
      <Layer draw={Labels} width={width} height={height} />
    </ComposedChart>
  );
});

interface TickProps {
  readonly x: number | string;
  readonly y: number | string;
  readonly payload: { readonly value: number };
}

/**
 * How the ticks of one axis are drawn. Labels of our own: the library's measure every word on the page,
 * which makes the browser lay it out.
 */
function tickOf(anchor: "middle" | "end", dy: string, ticks: readonly number[], labels: readonly string[]) {
  return ({ x, y, payload }: TickProps) => (
    <text x={x} y={y} dy={dy} textAnchor={anchor} fontSize={12} fill="var(--ink-soft)">
      {labels[ticks.indexOf(payload.value)]}
    </text>
  );
}

const ShareEvents = (props: PlotLinesProps) => <Events {...props} format="share" />;
const NumberEvents = (props: PlotLinesProps) => <Events {...props} format="number" />;

interface LayerSize {
  readonly width: number;
  readonly height: number;
}

/** One layer of the drawing, with the model of the plot around it. */
function Layer({ draw: Draw, width, height }: LayerSize & { readonly draw: ComponentType<PlotLinesProps> }) {
  const model = use(ShownModel);
  return model && <Draw model={model} rect={plotRect(width, height, model.lines.length)} />;
}

const WARM_STEPS = [1, 2, 3, 4];
const WARM_SERIES = [{ id: "warm", label: "warm", xs: WARM_STEPS, ys: WARM_STEPS }];

/** Draws a plot outside the page and drops it, so that the next one finds the library's code compiled. */
export function warmUpPlot(): void {
  const model = plotModel({ series: WARM_SERIES, smoothed: [WARM_STEPS], levels: [], range: null, log: false, include: [] });
  if (!model) return;
  const root = createRoot(document.createElement("div"));
  root.render(<Plot model={model} width={320} height={160} format="number" />);
  requestAnimationFrame(() => setTimeout(() => root.unmount(), 100));
}
