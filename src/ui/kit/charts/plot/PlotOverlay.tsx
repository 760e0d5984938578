// The layer over a plot that people touch: hovering points at a step in every chart, dragging zooms,
// a click opens the step. As a slider over steps it does the same by keyboard: arrows move, + and -
// zoom around the step, 0 shows all, Enter opens.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import { lowerBound } from "../../../../rl/race/curve.ts";
import { hoverStep, useChartView, zoomTo } from "../chartView.ts";
import { nearestIndex, type StepRange, zoomRange } from "../series/series.ts";
import { type PlotModel, type PlotRect, stepToX, tone, valueToY, xToStep } from "./plotModel.ts";

export interface PlotOverlayProps {
  readonly label: string;
  /** "step", or what else the places of the axis are. */
  readonly axisName: string;
  readonly model: PlotModel;
  readonly rect: PlotRect;
  /** Steps that have a value, ascending. */
  readonly steps: ArrayLike<number>;
  readonly full: StepRange;
  /** What the chart says at a step, for screen readers. */
  readonly sayValues: (step: number) => string;
  /** Where each line is at a step, null for one that has no point there. */
  readonly dotsAt: (step: number) => readonly (number | null)[];
  readonly onOpenStep?: ((step: number) => void) | undefined;
}

/** Shorter drags are clicks. */
const DRAG_PIXELS = 6;

/** Pixels where a drag began and where the pointer is. */
interface Drag {
  readonly from: number;
  readonly to: number;
}

/** Shows the steps between two pixels, as far as there are any. */
function zoomBetween(from: number, to: number, { model, rect, full }: Pick<PlotOverlayProps, "model" | "rect" | "full">): void {
  const [a, b] = [from, to].map((end) => Math.round(xToStep(end, model.range, rect))).sort((p, q) => p - q) as [number, number];
  const clamped: StepRange = [Math.max(full[0], a), Math.min(full[1], b)];
  if (clamped[1] > clamped[0]) zoomTo(clamped);
}

/** What a key does at a step; false where it is none of the chart's. */
function actOnKey(
  key: string,
  step: number,
  { model, steps, full, onOpenStep }: Pick<PlotOverlayProps, "model" | "steps" | "full" | "onOpenStep">,
): boolean {
  const target = keyTarget(key, step, steps);
  if (target !== null) hoverStep(target);
  else if (key === "+" || key === "=") zoomTo(zoomRange(model.range, step, 0.5, full));
  else if (key === "-") zoomTo(zoomRange(model.range, step, 2, full));
  else if (key === "0" || key === "Escape") zoomTo(null);
  else if (key === "Enter" && onOpenStep) onOpenStep(step);
  else return false;
  return true;
}

function Selection({ drag, left }: { readonly drag: Drag; readonly left: number }) {
  const width = Math.abs(drag.to - drag.from);
  return width < DRAG_PIXELS ? null : <span className="chart-selection" style={{ left: Math.min(drag.from, drag.to) - left, width }} />;
}

/** How this very chart is pointed at; the others follow its step. */
function usePointing({ model, rect, steps, full, onOpenStep }: PlotOverlayProps) {
  const hovered = useChartView((view) => view.hoveredStep);
  const [drag, setDrag] = useState<Drag | null>(null);
  const [means, setMeans] = useState<"Click" | "Enter" | null>(null);
  const element = useRef<HTMLDivElement>(null);
  const pixel = (event: PointerEvent) => event.clientX - (element.current?.getBoundingClientRect().left ?? 0) + rect.left;
  // A chart that goes away under the pointer, as a click on it makes it do, is left without the browser saying so.
  useEffect(() => () => hoverStep(null), []);
  const nearest = (x: number) => steps[nearestIndex(steps, xToStep(x, model.range, rect))] ?? null;

  const finishDrag = (event: PointerEvent) => {
    if (!drag) return;
    setDrag(null);
    const x = pixel(event);
    if (Math.abs(x - drag.from) >= DRAG_PIXELS) return zoomBetween(drag.from, x, { model, rect, full });
    const step = nearest(x);
    if (step !== null) onOpenStep?.(step);
  };

  const onKeyDown = (event: KeyboardEvent) => {
    const current = hovered ?? steps[steps.length - 1] ?? full[1];
    setMeans("Enter");
    if (actOnKey(event.key, current, { model, steps, full, onOpenStep })) event.preventDefault();
  };

  const leave = () => {
    setMeans(null);
    hoverStep(null);
  };

  const onPointerDown = (event: PointerEvent) => {
    if (event.button !== 0) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    setDrag({ from: pixel(event), to: pixel(event) });
  };

  const onPointerMove = (event: PointerEvent) => {
    const x = pixel(event);
    setMeans("Click");
    hoverStep(nearest(x));
    if (drag) setDrag({ ...drag, to: Math.min(rect.left + rect.width, Math.max(rect.left, x)) });
  };

  const handlers = {
    onKeyDown,
    onPointerDown,
    onPointerMove,
    onBlur: leave,
    onDoubleClick: () => zoomTo(null),
    onPointerUp: finishDrag,
    onPointerCancel: () => setDrag(null),
    onPointerLeave: leave,
  };
  return { hovered, drag, means, element, handlers };
}

export function PlotOverlay(props: PlotOverlayProps) {
  const { label, axisName, model, rect, full, sayValues, dotsAt, onOpenStep } = props;
  const { hovered, drag, means, element, handlers } = usePointing(props);
  const now = hovered ?? full[1];
  const line =
    hovered !== null && hovered >= model.range[0] && hovered <= model.range[1] ? stepToX(hovered, model.range, rect) - rect.left : null;
  return (
    <div
      ref={element}
      className="chart-overlay"
      style={{ left: rect.left, top: rect.top, width: rect.width, height: rect.height }}
      role="slider"
      tabIndex={0}
      aria-label={`${label}: ${axisName}`}
      aria-valuemin={full[0]}
      aria-valuemax={full[1]}
      aria-valuenow={now}
      aria-valuetext={sayValues(now)}
      aria-keyshortcuts="+ - 0 Enter"
      {...handlers}
    >
      {line !== null && hovered !== null && (
        <HoverMarks
          line={line}
          model={model}
          rect={rect}
          values={dotsAt(hovered)}
          hint={means && onOpenStep && !drag ? `${means} opens the rollouts of step ${hovered}` : null}
        />
      )}
      {drag && <Selection drag={drag} left={rect.left} />}
    </div>
  );
}

interface HoverMarksProps extends Pick<PlotOverlayProps, "model" | "rect"> {
  readonly line: number;
  readonly values: readonly (number | null)[];
  readonly hint: string | null;
}

/** The line at the step that is pointed at, with a dot on each of the points that the numbers above belong to. */
function HoverMarks({ line, model, rect, values, hint }: HoverMarksProps) {
  return (
    <>
      <span className="chart-hover-line" style={{ left: line }} />
      {values.map((value, index) => {
        if (value === null || !Number.isFinite(value)) return null;
        const style = { left: line, top: valueToY(value, model.axis, rect) - rect.top, background: tone(index) };
        // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
        return <span key={index} className="chart-hover-dot" style={style} />;
      })}
      {hint && (
        <span className="chart-hover-hint soft" style={line < rect.width / 2 ? { left: line + 4 } : { right: rect.width - line + 4 }}>
          {hint}
        </span>
      )}
    </>
  );
}

/** Where a movement key leads from the current step, or null for other keys. */
function keyTarget(key: string, current: number, steps: ArrayLike<number>): number | null {
  if (steps.length === 0) return null;
  const here = nearestIndex(steps, current);
  const page = Math.max(1, Math.round(steps.length / 10));
  const moves: Readonly<Record<string, number>> = {
    ArrowLeft: here - 1,
    ArrowDown: here - 1,
    ArrowRight: here + 1,
    ArrowUp: here + 1,
    PageDown: here - page,
    PageUp: here + page,
    Home: 0,
    End: steps.length - 1,
  };
  const index = moves[key];
  return index === undefined ? null : (steps[Math.max(0, Math.min(steps.length - 1, index))] ?? null);
}

/** Index of the value a line has at a step, or -1. */
export function indexAtStep(xs: ArrayLike<number>, step: number): number {
  const index = lowerBound(xs, step);
  return xs[index] === step ? index : nearestIndex(xs, step);
}
