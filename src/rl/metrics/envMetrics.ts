// Figures that environments report of their conversations, averaged: turns, calls, errors, cost.

/**
 * env/<name>: the mean of that figure over the conversations whose environment reports it. Written into
 * `into` and returned.
 */
export function envMetrics(
  reported_Q: readonly (Readonly<Record<string, number>> | undefined)[],
  into: Record<string, number> = {},
): Record<string, number> {
  const sums = new Map<string, { sum: number; count: number }>();
  for (const reported of reported_Q) {
    for (const [name, value] of Object.entries(reported ?? {})) {
      const entry = sums.get(name) ?? { sum: 0, count: 0 };
      sums.set(name, { sum: entry.sum + value, count: entry.count + 1 });
    }
  }
  for (const [name, { sum, count }] of sums) into[`env/${name}`] = sum / count;
  return into;
}
