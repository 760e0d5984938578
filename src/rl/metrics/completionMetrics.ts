// Lengths of completions, under TRL's names. A completion is terminated when a stop token ended it and
// clipped when the length limit did.

/**
 * completions/{mean,min,max}_length, the same over terminated completions (left out when there are
 * none), and completions/clipped_ratio. Written into `into`.
 * @param lengths_Q sampled tokens, the stop token included. @param terminated_Q whether a stop token ended it.
 */
export function completionMetrics(lengths_Q: readonly number[], terminated_Q: readonly boolean[], into: Record<string, number>): void {
  const count = lengths_Q.length;
  if (count === 0) return;
  const all = extremes(lengths_Q, null);
  into["completions/mean_length"] = all.sum / count;
  into["completions/min_length"] = all.min;
  into["completions/max_length"] = all.max;
  const terminated = extremes(lengths_Q, terminated_Q);
  if (terminated.count > 0) {
    into["completions/mean_terminated_length"] = terminated.sum / terminated.count;
    into["completions/min_terminated_length"] = terminated.min;
    into["completions/max_terminated_length"] = terminated.max;
  }
  into["completions/clipped_ratio"] = (count - terminated.count) / count;
}

/** Sum and extremes of the lengths that `only_Q` lets through; null lets all through. */
function extremes(lengths_Q: readonly number[], only_Q: readonly boolean[] | null) {
  let count = 0;
  let sum = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let q = 0; q < lengths_Q.length; q++) {
    if (only_Q && !only_Q[q]) continue;
    const length = lengths_Q[q]!;
    count += 1;
    sum += length;
    if (length < min) min = length;
    if (length > max) max = length;
  }
  return { count, sum, min, max };
}
