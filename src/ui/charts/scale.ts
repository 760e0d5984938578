// Value axes: round ticks, linear and logarithmic, and the pixels they land on. The plot and the
// overlay (hover line, direct labels) both measure with these functions, so they agree to the pixel.

export interface Axis {
  readonly kind: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
}

/** The round step (1, 2 or 5 times a power of ten) that cuts `span` into at most `count` parts. */
export function roundStep(span: number, count: number): number {
  const raw = span / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const digit = raw / power;
  const nice = digit <= 1 + 1e-9 ? 1 : digit <= 2 + 1e-9 ? 2 : digit <= 5 + 1e-9 ? 5 : 10;
  return nice * power;
}

/** k * step for k = from .. to, without the noise of binary fractions. */
function multiples(step: number, from: number, to: number): number[] {
  const digits = Math.min(20, Math.max(0, 1 - Math.floor(Math.log10(step))));
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toFixed(digits)));
}

/** A linear axis that holds low..high and ends on round numbers. Equal ends are widened, nothing but 0 to 0..1. */
export function linearAxis(low: number, high: number, count = 4): Axis {
  const pad = Math.abs(low) * 0.1;
  const [from, to] = low < high ? [low, high] : low === 0 ? [0, 1] : [low - pad, low + pad];
  const step = roundStep(to - from, count);
  const ticks = multiples(step, Math.floor(from / step + 1e-6), Math.ceil(to / step - 1e-6));
  return { kind: "linear", domain: [ticks[0]!, ticks.at(-1)!], ticks };
}

/** A logarithmic axis over whole decades; null unless 0 < low <= high. More than `count` decades skip some ticks. */
export function logAxis(low: number, high: number, count = 4): Axis | null {
  if (!(low > 0 && high >= low)) return null;
  const from = Math.floor(Math.log10(low) + 1e-9);
  const to = Math.max(from + 1, Math.ceil(Math.log10(high) - 1e-9));
  const skip = Math.ceil((to - from) / count);
  const ticks: number[] = [];
  for (let power = from; power <= to; power += skip) ticks.push(10 ** power);
  return { kind: "log", domain: [10 ** from, 10 ** to], ticks };
}

/** Whole-number ticks inside a range of steps, ends excluded unless they are round. */
export function stepTicks(from: number, to: number, count = 5): readonly number[] {
  if (to <= from) return [from];
  const step = Math.max(1, roundStep(to - from, count));
  return multiples(step, Math.ceil(from / step), Math.floor(to / step));
}

/** Share of the way up the axis, 0 at the bottom and 1 at the top; not clamped. */
export function axisShare(axis: Axis, value: number): number {
  const [low, high] = axis.domain;
  if (axis.kind === "linear") return (value - low) / (high - low);
  return Math.log(value / low) / Math.log(high / low);
}
