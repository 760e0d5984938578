// What all charts share while someone looks at them: the hovered step, the zoomed range and the
// smoothing. Small and apart from the run's facts, so that hovering repaints overlays only.
import { create } from "zustand";
import type { StepRange } from "./series/series.ts";

export interface ChartView {
  readonly hoveredStep: number | null;
  /** null shows the whole run. */
  readonly range: StepRange | null;
  /** Weight of the moving average, in [0, 1). */
  readonly smoothing: number;
}

export const DEFAULT_SMOOTHING = 0.8;

export const useChartView = create<ChartView>(() => ({ hoveredStep: null, range: null, smoothing: DEFAULT_SMOOTHING }));

/** Points at a step in every chart; null points nowhere. */
export function hoverStep(step: number | null): void {
  if (useChartView.getState().hoveredStep !== step) useChartView.setState({ hoveredStep: step });
}

/** Zooms every chart; null shows the whole run again. */
export function zoomTo(range: StepRange | null): void {
  useChartView.setState({ range });
}

/** @param weight in [0, 1). */
export function setSmoothing(weight: number): void {
  useChartView.setState({ smoothing: weight });
}
