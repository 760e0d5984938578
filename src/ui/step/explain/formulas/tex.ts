// Numbers and parts of formulas in TeX. A part that stands for something on screen is named with \sym.
import { measureWith } from "../../../../protocol/quantities.ts";
import { formatExact } from "../../../kit/charts/format.ts";

/** What a phase's formula says: with its letters, with the token's numbers, and what each letter is. */
export interface FilledFormula {
  readonly tex: string;
  readonly numbers: string;
  /** Both read aloud. */
  readonly spoken: string;
  readonly symbols: Readonly<Record<string, string>>;
}

function inTex(text: string): string {
  const plain = text.replace(/−/g, "-").replace("∞", "\\infty").replace("–", "\\text{?}");
  return plain.replace(/e(-?\d+)$/, "\\cdot 10^{$1}");
}

/** A measured quantity, written as everywhere on the page. */
export function texMeasure(value: number, decimals?: number): string {
  return inTex(measureWith(value, decimals));
}

/** The same in brackets where it is negative and follows a sign. */
export function texFactor(value: number, decimals?: number): string {
  return value < 0 ? `(${texMeasure(value, decimals)})` : texMeasure(value, decimals);
}

/** A setting, exactly. */
export function texSetting(value: number): string {
  return inTex(formatExact("number", value));
}

/** A number as so many digits that count have it. */
export function asTexDigits(value: number, count: number): number {
  return Number(value.toPrecision(count));
}

/** A small number such as a gradient: three digits that count, or as many as are asked. */
export function texDigits(value: number, count = 3): string {
  if (value === 0) return "0";
  const [digits = "", power = "0"] = value.toExponential(count - 1).split("e");
  const exponent = Number(power);
  if (exponent >= -3 && exponent <= 4) return inTex(String(asTexDigits(value, count)));
  return `${digits} \\cdot 10^{${exponent}}`;
}

const SIGNS = { "=": "=", "≈": "\\approx", "→": "\\to" } as const;

/** The sign before a result. */
export const texEquals = (sign: keyof typeof SIGNS): string => SIGNS[sign];

/** A part of a formula with the name of what it stands for. */
export function sym(name: string, tex: string): string {
  return `\\sym{${name}}{${tex}}`;
}
