// Isolated values far outside of what a line does otherwise, such as one exploding gradient: an axis that
// held them would press all the rest flat. A rise or a fall, however steep, is none: it stays where it led.
import { lowerBound } from "../../../../rl/race/curve.ts";
import type { Series, StepRange } from "./series.ts";

/** What a line does but for its spikes. */
export interface Bulk {
  readonly low: number;
  readonly high: number;
}

/** Neighbours whose median stands for a point: a spike of up to four of them leaves no trace in it. */
const WINDOW = 9;
const END_WINDOW = 3;
/** Fewer points are all shown. */
const FEWEST = 24;
/** Windows looked at; they lie evenly over the range. */
const MOST_WINDOWS = 400;
/** How far beyond the bulk, in its own span, a value still belongs to it. */
const REACH = 1;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1]!;
}

/** Low and high between which a line stays but for spikes; null where it has too few points, or none that differ. */
export function bulkOf({ xs, ys }: Pick<Series, "xs" | "ys">, [from, to]: StepRange): Bulk | null {
  const start = lowerBound(xs, from);
  const end = lowerBound(xs, to + 1);
  if (end - start < FEWEST) return null;
  const stride = Math.max(1, Math.ceil((end - start - WINDOW) / MOST_WINDOWS));
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const hold = (first: number, count: number) => {
    const values = Array.prototype.slice.call(ys, first, first + count).filter(Number.isFinite);
    if (values.length < count) return;
    const middle = median(values);
    low = Math.min(low, middle);
    high = Math.max(high, middle);
  };
  for (let i = start; i + WINDOW <= end; i += stride) hold(i, WINDOW);
  // A line that begins or ends steeply has no neighbours beyond.
  hold(start, END_WINDOW);
  hold(end - END_WINDOW, END_WINDOW);
  const span = high - low;
  return span > 0 && Number.isFinite(span) ? { low: low - REACH * span, high: high + REACH * span } : null;
}
