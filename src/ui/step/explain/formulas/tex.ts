// Numbers and parts of formulas in TeX. A part that stands for something on screen is named with \sym.
import { measureText } from "../../../../protocol/quantities.ts";
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
export function texMeasure(value: number): string {
  return inTex(measureText(value));
}

/** The same in brackets where it is negative and follows a sign. */
export function texFactor(value: number): string {
  return value < 0 ? `(${texMeasure(value)})` : texMeasure(value);
}

/** A setting, exactly. */
export function texSetting(value: number): string {
  return inTex(formatExact("number", value));
}

/** A small number such as a gradient: three digits that count. */
export function texDigits(value: number): string {
  if (value === 0) return "0";
  const [digits = "", power = "0"] = value.toExponential(2).split("e");
  const exponent = Number(power);
  if (exponent >= -3 && exponent <= 4) return inTex(String(Number(value.toPrecision(3))));
  return `${digits} \\cdot 10^{${exponent}}`;
}

/** A part of a formula with the name of what it stands for. */
export function sym(name: string, tex: string): string {
  return `\\sym{${name}}{${tex}}`;
}
