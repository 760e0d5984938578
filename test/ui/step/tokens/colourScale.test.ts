import { describe, expect, it } from "vitest";
import { AMOUNT, DOWN, MAX_ALPHA, type Rgb, scaleLimit, tintCss, tintOf, UP } from "../../../../src/ui/step/tokens/colourScale.ts";

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];

/** The colour seen where a tint lies over an opaque ground (sRGB blending, as browsers do). */
function blend(rgb: Rgb, alpha: number, ground: Rgb): Rgb {
  return [0, 1, 2].map((i) => alpha * rgb[i]! + (1 - alpha) * ground[i]!) as unknown as Rgb;
}

/** WCAG 2.2 contrast ratio of two opaque colours, 1 to 21. */
function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

describe("token tints", () => {
  it("measures contrast as WCAG does", () => {
    expect(contrast(WHITE, BLACK)).toBeCloseTo(21, 6);
    expect(contrast([0x77, 0x77, 0x77], WHITE)).toBeCloseTo(4.478, 3);
  });

  it("takes the 98th percentile of sizes, so that one outlier does not bleach the rest", () => {
    const levels = [...Array.from({ length: 99 }, () => -1), 1000, null, Number.NaN];
    expect(scaleLimit(levels)).toBe(1);
    expect(scaleLimit([])).toBe(0);
    expect(scaleLimit([...Array.from({ length: 99 }, () => 0), 0.3])).toBe(0.3);
  });

  it("is symmetric: equal sizes get equal depth, in opposite colours", () => {
    const up = tintOf("diverging", 0.4, 1);
    const down = tintOf("diverging", -0.4, 1);
    expect(up.alpha).toBe(down.alpha);
    expect([up.direction, down.direction]).toEqual(["up", "down"]);
    expect(up.rgb).toEqual(UP);
    expect(down.rgb).toEqual(DOWN);
  });

  it("never passes the cap and leaves zero and unknown uncoloured", () => {
    expect(tintOf("diverging", 50, 1).alpha).toBe(MAX_ALPHA);
    expect(tintOf("sequential", 50, 1).alpha).toBe(MAX_ALPHA);
    for (const level of [0, null, Number.NaN]) expect(tintCss(tintOf("diverging", level, 1))).toBe("transparent");
    expect(tintCss(tintOf("presence", 1, 1))).toBe("transparent");
  });

  const grounds: readonly (readonly [string, Rgb, Rgb])[] = [
    ["white", WHITE, [0x11, 0x14, 0x18]],
    ["sunken paper", [0xf1, 0xee, 0xe6], [0x11, 0x14, 0x18]],
    ["dark ground", [0x0f, 0x11, 0x15], [0xe6, 0xe9, 0xef]],
    ["dark surface", [0x15, 0x18, 0x1e], [0xe6, 0xe9, 0xef]],
  ];
  for (const [name, ground, ink] of grounds)
    for (const [hue, rgb] of [
      ["up", UP],
      ["down", DOWN],
      ["amount", AMOUNT],
    ] as const)
      it(`keeps text on the deepest ${hue} tint readable on ${name} (4.5:1)`, () => {
        for (let alpha = 0; alpha <= MAX_ALPHA; alpha += 0.05) expect(contrast(blend(rgb, alpha, ground), ink)).toBeGreaterThanOrEqual(4.5);
        expect(contrast(blend(rgb, MAX_ALPHA, ground), ink)).toBeGreaterThanOrEqual(4.5);
      });
});
