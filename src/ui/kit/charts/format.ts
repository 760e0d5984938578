// Numbers as people read them on charts, tokens and tables: true minus sign, no jitter. Quantities are written
// as the engine's sentences write them (protocol/quantities.ts); here are amounts, and labels of axes.
import { exactText, measureText, settled, shareText, signed, trimExponent, unusualText } from "../../../protocol/quantities.ts";

/** A measured quantity, an amount such as a speed or a length, or a share. */
export type Format = "measure" | "number" | "share";

/** An amount with about `digits` significant digits; 7 as 7, 0.00012 as 1.2e−4, 12000 as 12k. NaN shows as "–". */
export function formatNumber(measured: number, digits = 3): string {
  const unusual = unusualText(measured);
  if (unusual !== null) return unusual;
  const value = settled(measured);
  const size = Math.abs(value);
  if (size < 1e4 && Number.isInteger(value)) return signed(String(value));
  if (size >= 1e6) return signed(`${trim((value / 1e6).toPrecision(digits))}M`);
  if (size >= 1e4) return signed(`${trim((value / 1e3).toPrecision(digits))}k`);
  if (size < 1e-3) return signed(trimExponent(value.toExponential(digits - 2)));
  if (size >= 10 ** digits) return signed(value.toFixed(0));
  return signed(value.toPrecision(digits));
}

/** Fewest decimals, at most `most`, that write all values exactly. */
function decimalsOf(values: readonly number[], most: number): number {
  const least = Math.min(...values.filter((value) => value !== 0).map(Math.abs));
  for (let digits = 0; digits < most; digits++) {
    const scale = 10 ** digits;
    if (values.every((value) => value === 0 || Math.abs(value * scale - Math.round(value * scale)) <= 1e-6 * least * scale)) return digits;
  }
  return most;
}

/** Values in one unit with as many decimals as the finest needs; 0 plain. */
function inUnit(values: readonly number[], unit: number, suffix: string): readonly string[] {
  const scaled = values.map((value) => value / unit);
  const digits = decimalsOf(scaled, 6);
  return scaled.map((value) => (value === 0 ? "0" : signed(`${value.toFixed(digits)}${suffix}`)));
}

/** Decimals for which there is room beside a chart. */
const MOST_DECIMALS = 4;

/** Labels of the ticks of one linear axis: one notation and one number of decimals for all, so that they differ. */
export function tickLabels(ticks: readonly number[], format: Format): readonly string[] {
  if (format === "share") {
    const percents = ticks.map((tick) => tick * 100);
    return tickLabels(percents, "number").map((text) => `${text} %`);
  }
  const size = Math.max(...ticks.map(Math.abs));
  if (size >= 1e6) return inUnit(ticks, 1e6, "M");
  if (size >= 1e4) return inUnit(ticks, 1e3, "k");
  if (decimalsOf(ticks, MOST_DECIMALS + 1) <= MOST_DECIMALS) return inUnit(ticks, 1, "");
  const power = Math.floor(Math.log10(size));
  return inUnit(ticks, 10 ** power, `e${power}`);
}

/** Labels of the ticks of one logarithmic axis, whole powers of ten: with exponents throughout where one needs it. */
export function decadeLabels(ticks: readonly number[], format: Format): readonly string[] {
  if (format === "share") return ticks.flatMap((tick) => tickLabels([tick], format));
  if (ticks.every((tick) => tick >= 10 ** -MOST_DECIMALS * (1 - 1e-9))) return ticks.flatMap((tick) => tickLabels([tick], format));
  return ticks.map((tick) => signed(`1e${Math.round(Math.log10(tick))}`));
}

/** An amount with an explicit plus above 0. */
export function formatSigned(value: number): string {
  return value > 0 ? `+${formatNumber(value)}` : formatNumber(value);
}

/** A value of a chart. */
export function formatAs(format: Format, value: number, digits?: number): string {
  if (format === "measure") return measureText(value);
  return format === "share" ? shareText(value) : formatNumber(value, digits);
}

/** A value with as many digits as are worth reading, for where one is pointed at: six, and none that say nothing. */
export function formatExact(format: Format, value: number): string {
  if (!Number.isFinite(value)) return formatAs(format, value);
  return format === "share" ? `${signed(String(Number((value * 100).toPrecision(4))))} %` : exactText(value);
}

function trim(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}
