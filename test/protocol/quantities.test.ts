import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { counted, measureText, sharesApart, sharesBeside, shareText, signedMeasureText } from "../../src/protocol/quantities.ts";

it("counts one thing in the singular, however its number is written", () => {
  expect([counted(1, "step"), counted("1", "update"), counted(0, "row"), counted("1.0", "point")]).toEqual([
    "1 step",
    "1 update",
    "0 rows",
    "1.0 points",
  ]);
});

describe("measures in words", () => {
  it.each([
    [0, "0"],
    [1, "1"],
    [-1, "−1"],
    [0.0498, "0.050"],
    [0.368, "0.368"],
    [0.1234567, "0.123"],
    [-1.2078, "−1.208"],
    [12.3456, "12.346"],
    [0.00012, "1.2e−4"],
    [2e-7, "2e−7"],
    [Number.NaN, "–"],
    [Number.NEGATIVE_INFINITY, "−∞"],
  ])("show %s as %s", (value, text) => expect(measureText(value)).toBe(text));

  it("are one for a mean that was added up in two ways", () => {
    const rewards = [0.1, 0.35, 0.2, 0.3];
    const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
    const [forth, scaled] = [mean(rewards), mean(rewards.map((each) => each / 3)) * 3];
    expect(new Set([0.2375, 0.23750000000000002, forth, scaled].map(measureText)).size).toBe(1);
    for (let i = 1; i < 2000; i += 2) expect(measureText(i / 2000 + 1e-16)).toBe(measureText(i / 2000 - 1e-16));
  });

  it("carry a plus where they are changes", () => {
    expect(signedMeasureText(0.7241)).toBe("+0.724");
    expect(signedMeasureText(0)).toBe("0");
    expect(signedMeasureText(-0.7241)).toBe("−0.724");
  });

  it("have three decimals from a thousandth on, unless they are whole", () => {
    const decimals = /^−?\d+\.\d{3}$/;
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), (value) => {
        expect(Number.isInteger(value) || decimals.test(measureText(value))).toBe(true);
        expect(Math.abs(Number(measureText(value)) - value)).toBeLessThanOrEqual(0.0005 + 1e-9);
      }),
    );
  });
});

describe("shares in words", () => {
  it.each([
    [0, "0 %"],
    [1, "100 %"],
    [0.314, "31 %"],
    [0.0934, "9 %"],
    [0.0039, "0.4 %"],
    [0.9961, "99.6 %"],
    [0.99996, "> 99.9 %"],
    [1 - 1e-15, "100 %"],
    [0.0004, "< 0.1 %"],
    [Number.NaN, "–"],
  ])("show %s as %s", (share, text) => expect(shareText(share)).toBe(text));

  it.each([
    [
      [0.0319, 0.0277],
      ["3.2 %", "2.8 %"],
    ],
    [
      [0.37, 0.4],
      ["37 %", "40 %"],
    ],
    [
      [0.99996, 0.99998],
      ["99.996 %", "99.998 %"],
    ],
  ])("beside each other %j are told apart as %j", (shares, texts) => expect(sharesBeside(shares)).toEqual(texts));

  it("beside each other are the same only where three decimals of a percentage are, and say never and all of nothing else", () => {
    const share = fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true });
    fc.assert(
      fc.property(share, share, (one, other) => {
        const [first, second] = sharesBeside([one, other]);
        if (Math.abs(one - other) > 2e-5) expect(first).not.toBe(second);
        for (const text of [first, second]) expect(text).not.toMatch(/^(0|0\.0+|100|100\.0+) %$/);
      }),
    );
  });

  it("say never and all of nothing else", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1 - 1e-9, noNaN: true }), (share) => {
        expect(["0 %", "100 %", "0.0 %", "100.0 %"]).not.toContain(shareText(share));
      }),
    );
  });
});

describe("how numbers are written", () => {
  // Rounding elsewhere would be a second format of some quantity.
  const ALLOWED = [
    "src/rl/data/rows/parquetCells.ts", // a double of a file as Python spells it, whole
    "src/rl/race/axis.ts", // counts of steps, updates and tokens
    "src/rl/tools/calculate.ts", // what the calculator answers to the policy
    "src/ui/kit/charts/ChartMenu.tsx", // a setting
    "src/ui/kit/charts/exportImage.ts", // places in a picture
    "src/ui/kit/charts/format.ts",
    "src/ui/kit/charts/plot/scale.ts", // places of ticks
    "src/ui/step/explain/formulas/tex.ts", // factors of a formula, which a reader multiplies: three digits that count
    "src/ui/step/group/runReadings.ts", // seconds
    "src/ui/step/tokens/colourScale.ts", // a colour
  ];
  it("is said in one place", () => {
    const files = ["src/ui", "src/rl"].flatMap((root) =>
      readdirSync(root, { recursive: true, encoding: "utf8" }).map((name) => `${root}/${name}`),
    );
    const rounding = files.filter((file) => /\.tsx?$/.test(file) && /\.to(Fixed|Precision|Exponential)\(/.test(readFileSync(file, "utf8")));
    expect(rounding.sort()).toEqual(ALLOWED);
  });
});

describe("two shares and the points between them", () => {
  it("come to each other as they are written", () => {
    const told = (from: number, to: number) => Object.values(sharesApart(from, to));
    expect(told(0.5, 0.25)).toEqual(["50 %", "25 %", -25]);
    expect(told(0.534, 0.806)).toEqual(["53.4 %", "80.6 %", 27.2]);
    expect(told(0.701, 0.705)).toEqual(["70.1 %", "70.5 %", 0.4]);
    expect(told(0.8, 0.99999)).toEqual(["80.0 %", "> 99.9 %", 20]);
    expect(told(0.0001, 0.3)).toEqual(["< 0.1 %", "30.0 %", 30]);
    expect(told(0, 1)).toEqual(["0 %", "100 %", 100]);
  });
});
