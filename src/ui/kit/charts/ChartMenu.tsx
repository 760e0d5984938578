// What can be done with one chart, behind one quiet button.
import { type QuietItem, QuietMenu } from "../controls/QuietMenu.tsx";
import { Slider } from "../controls/Slider.tsx";
import { setSmoothing, useChartView } from "./chartView.ts";

export interface ChartMenuProps {
  readonly title: string;
  readonly log: boolean;
  readonly table: boolean;
  readonly zoomed: boolean;
  readonly onAction: (action: ChartAction) => void;
}

export type ChartAction = "log" | "table" | "zoom-in" | "zoom-out" | "zoom-all" | "png" | "png-2x" | "svg" | "csv" | "frame";

/** A menu whose items say what they will do. */
export function ChartMenu({ title, log, table, zoomed, onAction }: ChartMenuProps) {
  const items: readonly QuietItem<ChartAction>[] = [
    { id: "log", text: log ? "Linear scale" : "Logarithmic scale" },
    { id: "table", text: table ? "Show as chart" : "Show as table" },
    { id: "zoom-in", text: "Zoom in on the newest steps" },
    { id: "zoom-out", text: "Zoom out", disabled: !zoomed },
    { id: "zoom-all", text: "Show all steps", disabled: !zoomed },
    { id: "png", text: "Save as PNG", disabled: table },
    { id: "png-2x", text: "Save as PNG at 2x", disabled: table },
    { id: "svg", text: "Save as SVG", disabled: table },
    { id: "csv", text: "Save as CSV" },
    { id: "frame", text: "As a frame for a page or a slide" },
  ];
  return <QuietMenu className="chart-menu-button grid soft" label={`${title}: options`} items={items} onAction={onAction} />;
}

/** Weights above this forget too slowly to be of use on runs of a few hundred steps. */
const STRONGEST = 0.98;

/** One slider smooths every chart alike, so that curves stay comparable. */
export function SmoothingControl() {
  const weight = useChartView((view) => view.smoothing);
  return (
    <Slider
      className="smoothing items-center gap-1"
      label="Smoothing"
      text={weight.toFixed(2)}
      value={weight}
      maxValue={STRONGEST}
      step={0.02}
      onChange={setSmoothing}
    />
  );
}
