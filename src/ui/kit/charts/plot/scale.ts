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
  return Array.from({ length: to - from + 1 }, (_, i) => Number(((from + i) * step).toPrecision(15)));
}

/** Past these decades the arithmetic of an axis would overflow; what lies there stands at its end. */
const DECADES = 300;
const LARGEST = 10 ** DECADES;
const SMALLEST = 10 ** -DECADES;
/** Spans below this share of their values are drawn as flat: too few digits are left to cut them into parts. */
const NARROWEST = 1e-12;

function within(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}

/** Ends of an axis for low..high: widened where they are too close, 0..1 around nothing but 0. */
function spanOf(low: number, high: number): readonly [from: number, to: number] {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size < SMALLEST) return [0, 1];
  return high - low > size * NARROWEST ? [low, high] : [low - size * 0.1, low + size * 0.1];
}

/** About so many ticks has a value axis, and at most so many decades of a logarithmic one have one each; of steps there is room for more. */
const TICKS = 4;
const STEP_TICKS = 5;

/** A linear axis that holds low..high and ends on round numbers. Equal ends are widened, nothing but 0 to 0..1. */
export function linearAxis(low: number, high: number): Axis {
  const [from, to] = spanOf(within(low, -LARGEST, LARGEST), within(high, -LARGEST, LARGEST));
  const step = roundStep(to - from, TICKS);
  const ticks = multiples(step, Math.floor(from / step + 1e-6), Math.ceil(to / step - 1e-6));
  return { kind: "linear", domain: [ticks[0]!, ticks.at(-1)!], ticks };
}

/** A logarithmic axis over whole decades; null unless 0 < low <= high. Many decades skip some ticks. */
export function logAxis(low: number, high: number): Axis | null {
  if (!(low > 0 && high >= low)) return null;
  const from = within(Math.floor(Math.log10(low) + 1e-9), -DECADES, DECADES - 1);
  const to = within(Math.ceil(Math.log10(high) - 1e-9), from + 1, DECADES);
  const skip = Math.ceil((to - from) / TICKS);
  const ticks: number[] = [];
  for (let power = from; power <= to; power += skip) ticks.push(10 ** power);
  return { kind: "log", domain: [10 ** from, 10 ** to], ticks };
}

/** Whole-number ticks inside a range of steps, ends excluded unless they are round. */
export function stepTicks(from: number, to: number): readonly number[] {
  if (to <= from) return [from];
  const step = Math.max(1, roundStep(to - from, STEP_TICKS));
  return multiples(step, Math.ceil(from / step), Math.floor(to / step));
}

/** Share of the way up the axis, 0 at the bottom and 1 at the top; not clamped. On a logarithmic one 0 and less lie infinitely deep. */
export function axisShare(axis: Axis, value: number): number {
  const [low, high] = axis.domain;
  if (axis.kind === "linear") return (value - low) / (high - low);
  // As differences: the ratio of the ends can be larger than any number.
  const bottom = Math.log(low);
  return (Math.log(Math.max(0, value)) - bottom) / (Math.log(high) - bottom);
}
