// Numbers as the page writes them, read back: what is shown must be the engine's value to its last digit.
import { expect } from "@playwright/test";

/** The number in a text and half of its last digit's worth: "+1.20k" is 1200 within 5. */
export function readNumber(text: string): { readonly value: number; readonly within: number } {
  const match = /([+−-]?)(\d+)(?:\.(\d+))?(?:e([−-]?\d+))?([kM%])?/.exec(text.replace(/\s+%/, "%"));
  if (!match) throw new Error(`no number in "${text}"`);
  const [, sign, whole = "", fraction = "", exponent = "0", unit] = match;
  const scale = 10 ** Number(exponent.replace("−", "-")) * (unit === "k" ? 1e3 : unit === "M" ? 1e6 : unit === "%" ? 0.01 : 1);
  const size = Number(`${whole}.${fraction || "0"}`);
  // A bare 0 stands for an exact zero, or for a value shown as one; the caller's tolerance decides.
  return { value: (sign === "−" || sign === "-" ? -size : size) * scale, within: 0.5 * 10 ** -fraction.length * scale };
}

/** Fails where a text does not show the value to the digits it has. */
export function expectShown(text: string, value: number, what: string): void {
  const shown = readNumber(text);
  const difference = Math.abs(shown.value - value);
  expect(difference, `${what}: shown "${text}", the engine has ${value}`).toBeLessThanOrEqual(shown.within * (1 + 1e-9) + 1e-15);
}
