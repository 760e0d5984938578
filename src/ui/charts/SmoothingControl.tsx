// One slider smooths every chart alike, so that curves stay comparable.
import { Slider } from "../controls/Slider.tsx";
import { setSmoothing, useChartView } from "./chartView.ts";

/** Weights above this forget too slowly to be of use on runs of a few hundred steps. */
const STRONGEST = 0.98;

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
