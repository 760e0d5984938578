// Numbers as people read them on charts, tokens and tables: few digits, true minus sign, no jitter.

const MINUS = "\u2212";

function signed(text: string): string {
  return text.replace(/-/g, MINUS);
}

/** About `digits` significant digits; 0.00012 as 1.2e−4, 12000 as 12k. NaN shows as "–". */
export function formatNumber(value: number, digits = 3): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : `${MINUS}∞`;
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6) return signed(`${trim((value / 1e6).toPrecision(digits))}M`);
  if (size >= 1e4) return signed(`${trim((value / 1e3).toPrecision(digits))}k`);
  if (size < 1e-3) return signed(trimExponent(value.toExponential(digits - 2)));
  if (size >= 10 ** digits) return signed(value.toFixed(0));
  return signed(value.toPrecision(digits));
}

/** A tick label: shortest exact form, with k and M for large numbers. */
export function formatTick(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e6) return signed(`${trim((value / 1e6).toPrecision(4))}M`);
  if (size >= 1e4) return signed(`${trim((value / 1e3).toPrecision(4))}k`);
  if (size > 0 && size < 1e-3) return signed(trimExponent(value.toExponential(2)));
  return signed(String(Number(value.toPrecision(10))));
}

/** With an explicit plus for positive values, for advantages and changes. */
export function formatSigned(value: number, digits = 3): string {
  return value > 0 ? `+${formatNumber(value, digits)}` : formatNumber(value, digits);
}

/** A share in [0, 1] as a percentage with one digit below ten percent. */
export function formatShare(value: number): string {
  if (Number.isNaN(value)) return "–";
  const percent = value * 100;
  return `${signed(percent === 0 || percent === 100 ? String(percent) : percent.toFixed(Math.abs(percent) < 10 ? 1 : 0))} %`;
}

function trim(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

function trimExponent(text: string): string {
  return text.replace(/\.?0+e/, "e").replace("e+", "e");
}
