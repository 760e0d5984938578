// Every metric of the run as one growing table of typed arrays, a row for each step, kept outside React.
// Very long runs are kept at a coarser step, as the engine keeps them; charts thin further for drawing,
// exports and snapshots read all of it.

import { useSyncExternalStore } from "react";
import type { StepRecord } from "../../../protocol/records.ts";
import { MOST_STEPS, thinnedIndices } from "../../../protocol/run/thinned.ts";

/**
 * Counts the changes of data, and tells listeners of each: high-rate data lives outside React, components subscribe to
 * the count and read the data itself when they draw.
 */
export class VersionCounter {
  #version = 0;
  readonly #listeners = new Set<() => void>();

  get version(): number {
    return this.#version;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  bump(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}

/** Redraws the calling component whenever the source changes; returns its version. */
export function useVersion(source: VersionCounter): number {
  return useSyncExternalStore(source.subscribe, () => source.version);
}

/** Points of one metric, ascending in step. */
export interface SeriesView {
  readonly steps: Float64Array;
  readonly values: Float64Array;
}

type Column = Float64Array<ArrayBuffer>;

/**
 * Rows the table has room for at first, how many times more when it is full, and at most: it is thinned when it has one
 * more than it keeps.
 */
const FIRST_ROWS = 1024;
const GROWTH = 4;
const MOST_ROWS = MOST_STEPS + 1;
const NO_POINTS: SeriesView = { steps: new Float64Array(0), values: new Float64Array(0) };

function grown(array: Float64Array): Column {
  const larger = new Float64Array(Math.min(MOST_ROWS, array.length * GROWTH));
  larger.set(array);
  return larger;
}

/** Some rows of an array at its begin; in new storage, since the old may still be looked at. */
function taken(array: Float64Array, rows: readonly number[]): Column {
  const smaller = new Float64Array(array.length);
  for (let i = 0; i < rows.length; i++) smaller[i] = array[rows[i]!]!;
  return smaller;
}

export class MetricSeries extends VersionCounter {
  #rows = 0;
  #steps: Column = new Float64Array(FIRST_ROWS);
  /** NaN where a step lacks the metric. */
  readonly #columns = new Map<string, Column>();
  /** What was read of this version: a verdict and its diagnoses ask for the same metrics again and again. */
  #read: { readonly version: number; readonly views: Map<string, SeriesView> } = { version: -1, views: new Map() };

  /** Last step appended; 0 before the first. */
  get lastStep(): number {
    return this.#rows > 0 ? this.#steps[this.#rows - 1]! : 0;
  }

  /** Adds step records. A step already there is not taken twice, as when history and live events overlap. */
  append(records: readonly StepRecord[]): void {
    for (const { step, metrics } of records) if (this.#rows === 0 || step > this.lastStep) this.#push(step, metrics);
    if (records.length > 0) this.bump();
  }

  clear(): void {
    this.#columns.clear();
    this.#steps = new Float64Array(FIRST_ROWS);
    this.#rows = 0;
    this.bump();
  }

  /** All points of a metric; empty for a metric that never came. */
  series(key: string): SeriesView {
    if (this.#read.version !== this.version) this.#read = { version: this.version, views: new Map() };
    const { views } = this.#read;
    const known = views.get(key);
    if (known) return known;
    const column = this.#columns.get(key);
    const view = column ? this.#view(column) : NO_POINTS;
    views.set(key, view);
    return view;
  }

  #view(column: Column): SeriesView {
    const steps = this.#steps.subarray(0, this.#rows);
    const values = column.subarray(0, this.#rows);
    if (!values.some(Number.isNaN)) return { steps, values };
    return { steps: steps.filter((_, row) => !Number.isNaN(values[row])), values: values.filter((value) => !Number.isNaN(value)) };
  }

  /** The history after a step as step records. */
  records(after = 0): readonly StepRecord[] {
    let first = this.#rows;
    while (first > 0 && this.#steps[first - 1]! > after) first--;
    return Array.from({ length: this.#rows - first }, (_, i) => {
      const row = first + i;
      const metrics: Record<string, number> = {};
      for (const [key, column] of this.#columns) if (!Number.isNaN(column[row])) metrics[key] = column[row]!;
      return { step: this.#steps[row]!, metrics };
    });
  }

  #push(step: number, metrics: StepRecord["metrics"]): void {
    const row = this.#rows;
    if (row === this.#steps.length) {
      this.#steps = grown(this.#steps);
      for (const [key, column] of this.#columns) this.#columns.set(key, grown(column));
    }
    this.#steps[row] = step;
    for (const column of this.#columns.values()) column[row] = Number.NaN;
    for (const key in metrics) this.#column(key)[row] = metrics[key]!;
    this.#rows += 1;
    const kept = thinnedIndices(this.#steps.subarray(0, this.#rows), MOST_STEPS);
    if (!kept) return;
    this.#steps = taken(this.#steps, kept);
    for (const [key, column] of this.#columns) this.#columns.set(key, taken(column, kept));
    this.#rows = kept.length;
  }

  #column(key: string): Column {
    const known = this.#columns.get(key);
    if (known) return known;
    const column = new Float64Array(this.#steps.length).fill(Number.NaN);
    this.#columns.set(key, column);
    return column;
  }
}
