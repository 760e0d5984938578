// Lengths of completions, under TRL's names. A completion is terminated when a stop token ended it and
// clipped when the length limit did.

/**
 * completions/{mean,min,max}_length, the same over terminated completions (left out when there are
 * none), and completions/clipped_ratio.
 * @param lengths_Q sampled tokens, the stop token included. @param terminated_Q whether a stop token ended it.
 */
export function completionMetrics(lengths_Q: readonly number[], terminated_Q: readonly boolean[]): Record<string, number> {
  const terminated = lengths_Q.filter((_, q) => terminated_Q[q]);
  return {
    ...extremes("length", lengths_Q),
    ...extremes("terminated_length", terminated),
    ...(lengths_Q.length > 0 ? { "completions/clipped_ratio": 1 - terminated.length / lengths_Q.length } : {}),
  };
}

function extremes(name: string, lengths: readonly number[]): Record<string, number> {
  if (lengths.length === 0) return {};
  return {
    [`completions/mean_${name}`]: lengths.reduce((sum, length) => sum + length, 0) / lengths.length,
    [`completions/min_${name}`]: lengths.reduce((low, length) => Math.min(low, length)),
    [`completions/max_${name}`]: lengths.reduce((high, length) => Math.max(high, length)),
  };
}
