// What can be done with one chart, behind one quiet button.
import { Ellipsis } from "lucide-react";
import { Button, Menu, MenuItem, MenuTrigger, Popover } from "react-aria-components";
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
  const items: readonly { readonly id: ChartAction; readonly text: string; readonly disabled?: boolean }[] = [
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
  return (
    <MenuTrigger>
      <Button className="chart-menu-button" aria-label={`${title}: options`}>
        <Ellipsis size={18} aria-hidden />
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu
          className="list"
          aria-label={`${title}: options`}
          disabledKeys={items.flatMap(({ id, disabled }) => (disabled ? [id] : []))}
          onAction={(key) => onAction(key as ChartAction)}
        >
          {items.map(({ id, text }) => (
            <MenuItem key={id} id={id} className="list-item">
              {text}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

/** Weights above this forget too slowly to be of use on runs of a few hundred steps. */
const STRONGEST = 0.98;

/** One slider smooths every chart alike, so that curves stay comparable. */
export function SmoothingControl() {
  const weight = useChartView((view) => view.smoothing);
  return (
    <Slider
      className="smoothing"
      label="Smoothing"
      text={weight.toFixed(2)}
      value={weight}
      maxValue={STRONGEST}
      step={0.02}
      onChange={setSmoothing}
    />
  );
}
