// From series to what is drawn: at most 300 points per line, raw and smoothed, the two axes, and the
// pixel rectangle that the plot and its overlay share. Pure, so it is tested without a browser.

import { fullRange, type LevelLine, type Series, type StepRange } from "../series/series.ts";
import { bulkOf } from "../series/spikes.ts";
import { bucketIndices, MAX_POINTS } from "./downsample.ts";
import { type Axis, axisShare, linearAxis, logAxis, roundStep, stepTicks } from "./scale.ts";

/** One x of the plot: raw0, smooth0, band0, raw1, ... for the lines that have a point there. */
export type PlotRow = Readonly<Record<string, number | readonly [number, number]>>;

export interface PlotRect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface PlotInput {
  readonly series: readonly Series[];
  readonly levels: readonly LevelLine[];
  /** null for the whole run. */
  readonly range: StepRange | null;
  /** The values of each line as drawn; see drawnValues. */
  readonly smoothed: readonly ArrayLike<number>[];
  readonly log: boolean;
  readonly include: readonly number[];
  /** The value axis goes no lower. */
  readonly floor?: number;
  /** Most points of one line; see pointsFor. */
  readonly points?: number;
  /** Steps after which a setting changed, ascending. */
  readonly changes?: readonly number[];
  /** Nothing is drawn outside, for shares: an interval may reach past what is possible. */
  readonly bounds?: readonly [number, number];
}

/** Lines with at most this many points get a mark on each. */
const MARKED_POINTS = 40;

/** How one line is drawn, and where its smoothed value ends. */
function lineOf(line: Series, drawn: ArrayLike<number>, indices: readonly number[], shown: StepRange) {
  const last = indices.findLast((i) => line.xs[i]! <= shown[1]) ?? -1;
  return {
    id: line.id,
    label: line.label,
    banded: line.lows !== undefined,
    dash: line.dash ?? null,
    /** Drawn once: there is no smoothed line beside the raw one. */
    single: (line.measured || line.exact) ?? false,
    /** Few enough points to mark each. */
    marked: indices.length <= (line.measured ? MARKED_POINTS : 1),
    /** The smoothed value at the right edge; NaN without one. */
    last: last < 0 ? Number.NaN : drawn[last]!,
    /** Where that is. */
    end: last < 0 ? shown[1] : Math.min(shown[1], line.xs[last]!),
  };
}

/** What is drawn; null while no series has a point. */
export function plotModel({
  series,
  smoothed,
  levels,
  range,
  log,
  include,
  floor = Number.NEGATIVE_INFINITY,
  bounds,
  changes = [],
  points = MAX_POINTS,
}: PlotInput) {
  const full = fullRange(series);
  if (!full) return null;
  const shown = range ?? roomyRange(full);
  const within = (value: number) => (bounds ? Math.min(bounds[1], Math.max(bounds[0], value)) : value);
  const rows = new Map<number, Record<string, number | readonly [number, number]>>();
  const values: number[] = levels.map(({ value }) => value);
  /** Spikes that the axis leaves out. */
  const spikes: { x: number; y: number; isHigh: boolean }[] = [];
  const lines = series.map((line, index) => {
    const { from = Number.NEGATIVE_INFINITY } = line;
    const indices = bucketIndices(line.xs, line.ys, shown, points).filter((i) => line.xs[i]! >= from);
    const drawn = smoothed[index]!;
    const bulk = log || line.measured || line.exact ? null : bulkOf(line, shown);
    for (const i of indices) {
      const x = line.xs[i]!;
      const row = rows.get(x) ?? { x };
      row[`raw${index}`] = line.ys[i]!;
      row[`smooth${index}`] = drawn[i]!;
      const low = within(line.lows?.[i] ?? Number.NaN);
      const high = within(line.highs?.[i] ?? Number.NaN);
      if (Number.isFinite(low) && Number.isFinite(high)) row[`band${index}`] = [low, high];
      rows.set(x, row);
      const y = line.ys[i]!;
      if (bulk && (y > bulk.high || y < bulk.low)) {
        if (x >= shown[0] && x <= shown[1]) spikes.push({ x, y, isHigh: y > bulk.high });
        continue;
      }
      // Neighbours outside a zoomed range count too: the line to them must not leave the axis.
      values.push(y, ...(Number.isFinite(low) ? [low] : []), ...(Number.isFinite(high) ? [high] : []));
    }
    return lineOf(line, drawn, indices, shown);
  });
  const { axis, logRefused } = axisFor(
    values.map((value) => Math.max(value, floor)),
    include,
    log,
  );
  return {
    rows: [...rows.entries()].sort(([a], [b]) => a - b).map(([, row]): PlotRow => (axis.kind === "log" ? positiveOnly(row) : row)),
    lines,
    levels: levels.filter(({ value }) => axis.kind === "linear" || value > 0),
    range: shown,
    xTicks: full[0] === full[1] && !range ? [full[0]] : stepTicks(Math.max(0, shown[0]), shown[1]),
    axis,
    // One line's spike may lie within what another line needs.
    spikes: spikes.filter(({ y }) => y > axis.domain[1] || y < axis.domain[0]),
    changes: changes.filter((step) => step >= shown[0] && step <= shown[1]),
    /** A logarithmic axis was asked for but there is no positive value, so it is linear. */
    logRefused,
  };
}
export type PlotModel = NonNullable<ReturnType<typeof plotModel>>;

/** Parts of the whole range of which at most one is left empty. */
const EMPTY_SHARE = 16;

/**
 * The whole run, with its end moved out to a round step: while a run grows the axis then stands still
 * for a while, which is calmer to watch and saves most of its redraws. A single step stands at the left
 * edge, where it stays once there are more.
 */
export function roomyRange([from, to]: StepRange): StepRange {
  if (from === to) return [from, to + 1];
  const step = Math.max(1, roundStep((to - from) / EMPTY_SHARE, 2.5));
  return [from, Math.ceil(to / step) * step];
}

function axisFor(values: readonly number[], include: readonly number[], log: boolean): { axis: Axis; logRefused: boolean } {
  const finite = values.filter(Number.isFinite);
  if (log) {
    const positive = finite.filter((value) => value > 0);
    const axis = positive.length > 0 ? logAxis(Math.min(...positive), Math.max(...positive)) : null;
    if (axis) return { axis, logRefused: false };
  }
  const held = [...finite, ...include];
  if (held.length === 0) return { axis: linearAxis(0, 1), logRefused: log };
  const low = Math.min(...held);
  const high = Math.max(...held);
  return { axis: linearAxis(...withNearZero(low, high)), logRefused: log };
}

/** Share of an axis that may stay empty so that it begins at 0. */
const ZERO_COSTS = 0.5;

/** Ends of the values, with 0 where that leaves at most half of the axis empty; also where all values are equal. */
function withNearZero(low: number, high: number): readonly [number, number] {
  if (low > 0 && (low <= ZERO_COSTS * high || low === high)) return [0, high];
  if (high < 0 && (high >= ZERO_COSTS * low || low === high)) return [low, 0];
  return [low, high];
}

function positiveOnly(row: PlotRow): PlotRow {
  return Object.fromEntries(
    Object.entries(row).filter(([key, value]) => key === "x" || (typeof value === "number" ? value > 0 : value[0] > 0)),
  );
}

/** Points worth drawing in a chart of this width: a lowest and a highest one for every four pixels, 60 to 300. */
export function pointsFor(width: number): number {
  return Math.max(60, Math.min(MAX_POINTS, Math.round(width / 2)));
}

/** Pixels of the drawing area inside a chart of this size; labels at the right need room only with several lines. */
export function plotRect(width: number, height: number, lines: number): PlotRect {
  const left = 44;
  const right = lines > 1 ? Math.min(84, Math.round(width * 0.24)) : 10;
  return { left, top: 10, width: Math.max(10, width - left - right), height: Math.max(10, height - 10 - 24) };
}

/** Horizontal pixel of a step, not clamped. */
export function stepToX(step: number, range: StepRange, rect: PlotRect): number {
  return rect.left + ((step - range[0]) / (range[1] - range[0] || 1)) * rect.width;
}

/** The step under a horizontal pixel, not rounded. */
export function xToStep(x: number, range: StepRange, rect: PlotRect): number {
  return range[0] + ((x - rect.left) / rect.width) * (range[1] - range[0]);
}

/** Vertical pixel of a value, kept inside the drawing area. */
export function valueToY(value: number, axis: Axis, rect: PlotRect): number {
  return rect.top + (1 - Math.min(1, Math.max(0, axisShare(axis, value)))) * rect.height;
}

/** Colour of a line by its place; from the fifth on they share one. */
export function tone(index: number): string {
  return `var(--series-${Math.min(index + 1, 5)})`;
}
