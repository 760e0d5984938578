// A run without a step limit must not fill the memory: once a history holds as much as it may, it is kept at a coarser step, one record of
// every two, four, ... steps, and what comes after is whole again until the next time. The newest record always stays.

/** Steps of which a run keeps the metrics, and evaluations it keeps, at most. */
export const MOST_STEPS = 16_384;
export const MOST_EVALUATIONS = 2_048;

/**
 * Indices of the records to keep, a quarter to a half of `most` and up to two more: the first in each span of steps, and the newest; null
 * while there is room. Steps ascend. Spans are powers of two, so thinning again keeps the old ones evenly spaced.
 */
export function thinnedIndices(steps: ArrayLike<number>, most: number): readonly number[] | null {
  const { length } = steps;
  if (length <= most) return null;
  const span = 2 ** Math.ceil(Math.log2((2 * (steps[length - 1]! - steps[0]!)) / most));
  const kept: number[] = [];
  let newest = Number.NaN;
  for (let i = 0; i < length; i++) {
    const place = Math.floor(steps[i]! / span);
    if (place !== newest || i === length - 1) kept.push(i);
    newest = place;
  }
  return kept;
}

/** Records ascending in step, thinned where they are more than there may be. */
export function thinned<T extends { readonly step: number }>(records: readonly T[], most: number): readonly T[] {
  if (records.length <= most) return records;
  const steps = records.map(({ step }) => step);
  return thinnedIndices(steps, most)?.map((i) => records[i]!) ?? records;
}

/** Adds a record to a history, in place, and thins it where it is full. */
export function pushThinned<T extends { readonly step: number }>(records: T[], record: T, most: number): void {
  records.push(record);
  const kept = thinned(records, most);
  if (kept === records) return;
  records.length = 0;
  for (const each of kept) records.push(each);
}
