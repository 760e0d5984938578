// The soft overlong punishment of DAPO (Yu et al. 2025, arXiv 2503.14476, eq. 13): completions may run
// into a buffer before the length limit, at a price that grows linearly to -1.

/**
 * 0 up to limit - buffer, then (limit - buffer - length) / buffer, and -1 from the limit on.
 * @param length tokens sampled. @param limit most tokens a completion may have. @param buffer > 0.
 */
export function overlongPunishment(length: number, limit: number, buffer: number): number {
  const free = limit - buffer;
  if (length <= free) return 0;
  return Math.max(-1, (free - length) / buffer);
}
