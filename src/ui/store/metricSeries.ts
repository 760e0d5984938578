// Every metric of the run as a growing pair of typed arrays (steps, values). Kept outside React and
// whole: charts thin it out for drawing, exports and snapshots read all of it.
import type { StepRecord } from "../../protocol/records.ts";
import { VersionCounter, type Versioned } from "./versioned.ts";

/** Points of one metric, ascending in step. Views into growing storage: valid until the next append. */
export interface SeriesView {
  readonly steps: Float64Array;
  readonly values: Float64Array;
}

interface Column {
  steps: Float64Array;
  values: Float64Array;
  length: number;
}

const NO_POINTS: SeriesView = { steps: new Float64Array(0), values: new Float64Array(0) };

function grown(array: Float64Array): Float64Array {
  const larger = new Float64Array(array.length * 2);
  larger.set(array);
  return larger;
}

export class MetricSeries implements Versioned {
  readonly #columns = new Map<string, Column>();
  readonly #counter = new VersionCounter();
  readonly subscribe = this.#counter.subscribe;
  #lastStep = 0;

  get version(): number {
    return this.#counter.version;
  }

  /** Last step appended; 0 before the first. */
  get lastStep(): number {
    return this.#lastStep;
  }

  /** Adds step records. A step already there is not taken twice, as when history and live events overlap. */
  append(records: readonly StepRecord[]): void {
    for (const { step, metrics } of records) {
      for (const [key, value] of Object.entries(metrics)) this.#push(key, step, value);
      this.#lastStep = Math.max(this.#lastStep, step);
    }
    if (records.length > 0) this.#counter.bump();
  }

  clear(): void {
    this.#columns.clear();
    this.#lastStep = 0;
    this.#counter.bump();
  }

  keys(): readonly string[] {
    return [...this.#columns.keys()];
  }

  /** All points of a metric; empty for a metric that never came. */
  series(key: string): SeriesView {
    const column = this.#columns.get(key);
    if (!column) return NO_POINTS;
    return { steps: column.steps.subarray(0, column.length), values: column.values.subarray(0, column.length) };
  }

  /** Newest value of a metric, or null. */
  latest(key: string): number | null {
    const column = this.#columns.get(key);
    return column && column.length > 0 ? column.values[column.length - 1]! : null;
  }

  /** The history as step records, for snapshots. */
  records(): readonly StepRecord[] {
    const bySteps = new Map<number, Record<string, number>>();
    for (const [key, { steps, values, length }] of this.#columns)
      for (let i = 0; i < length; i++) {
        const step = steps[i]!;
        const metrics = bySteps.get(step) ?? {};
        metrics[key] = values[i]!;
        bySteps.set(step, metrics);
      }
    return [...bySteps].sort(([a], [b]) => a - b).map(([step, metrics]) => ({ step, metrics }));
  }

  #push(key: string, step: number, value: number): void {
    let column = this.#columns.get(key);
    if (!column) {
      column = { steps: new Float64Array(256), values: new Float64Array(256), length: 0 };
      this.#columns.set(key, column);
    }
    if (column.length > 0 && column.steps[column.length - 1]! >= step) return;
    if (column.length === column.steps.length) {
      column.steps = grown(column.steps);
      column.values = grown(column.values);
    }
    column.steps[column.length] = step;
    column.values[column.length] = value;
    column.length += 1;
  }
}

/** Metrics of the run on screen. */
export const metricSeries = new MetricSeries();
