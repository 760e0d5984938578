// Tints behind tokens. Blue (up) and vermillion (down) are those of Okabe & Ito, Color Universal
// Design (2008); the tint never exceeds 70 %, which keeps text readable on paper and on ink.
import { quantileOfSorted } from "../../../rl/objective/totals.ts";
import type { ChannelScale } from "./channels.ts";

export type Rgb = readonly [red: number, green: number, blue: number];

export const UP: Rgb = [0x00, 0x72, 0xb2];
export const DOWN: Rgb = [0xd5, 0x5e, 0x00];
/** The one hue of sequential channels; neither up nor down. */
export const AMOUNT: Rgb = [0x00, 0x8a, 0x6b];
export const MAX_ALPHA = 0.7;

/**
 * The |level| that gets full colour: the 98th percentile, so that one outlier does not bleach the rest, or the largest
 * where nearly all are 0; 0 without values.
 */
export function scaleLimit(levels: Iterable<number | null>): number {
  const sizes = [...levels].flatMap((level) => (level === null || !Number.isFinite(level) ? [] : [Math.abs(level)])).sort((a, b) => a - b);
  return sizes.length === 0 ? 0 : quantileOfSorted(sizes, 0.98) || sizes.at(-1)!;
}

/** A tint: how it is coloured and by how much, -1 to 1; up and down also differ by glyph. */
export interface Tint {
  readonly rgb: Rgb;
  /** 0 to MAX_ALPHA. */
  readonly alpha: number;
  readonly direction: "up" | "down" | "none";
}

const NO_TINT: Tint = { rgb: AMOUNT, alpha: 0, direction: "none" };

/** Tint of a level under a scale whose full colour lies at `limit` (>= 0). */
export function tintOf(scale: ChannelScale, level: number | null, limit: number): Tint {
  if (level === null || !Number.isFinite(level) || scale === "presence" || level === 0) return NO_TINT;
  const share = limit > 0 ? Math.min(1, Math.abs(level) / limit) : 1;
  if (scale === "sequential") return { rgb: AMOUNT, alpha: level > 0 ? share * MAX_ALPHA : 0, direction: "none" };
  return { rgb: level > 0 ? UP : DOWN, alpha: share * MAX_ALPHA, direction: level > 0 ? "up" : "down" };
}

/** CSS colour of a tint. */
export function tintCss({ rgb, alpha }: Pick<Tint, "rgb" | "alpha">): string {
  return alpha === 0 ? "transparent" : `rgb(${rgb[0]} ${rgb[1]} ${rgb[2]} / ${Number(alpha.toFixed(3))})`;
}
