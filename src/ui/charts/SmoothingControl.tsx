// One slider smooths every chart alike, so that curves stay comparable.
import { Label, Slider, SliderOutput, SliderThumb, SliderTrack } from "react-aria-components";
import { setSmoothing, useChartView } from "./chartView.ts";

/** Weights above this forget too slowly to be of use on runs of a few hundred steps. */
const STRONGEST = 0.98;

export function SmoothingControl() {
  const weight = useChartView((view) => view.smoothing);
  return (
    <Slider className="chart-smoothing" value={weight} minValue={0} maxValue={STRONGEST} step={0.02} onChange={setSmoothing}>
      <Label>Smoothing</Label>
      <SliderTrack className="chart-smoothing-track">
        <SliderThumb className="chart-smoothing-thumb" />
      </SliderTrack>
      <SliderOutput className="chart-smoothing-value">{weight.toFixed(2)}</SliderOutput>
    </Slider>
  );
}
