import { describe, expect, it } from "vitest";
import { cos, exp, expm1, log, power, sin, wholePower } from "../../src/rl/exactMath.ts";
import { Random } from "../../src/rl/random.ts";

const draws = (count: number, seed: number, draw: (random: Random) => number) => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => draw(random));
};
const between = (low: number, high: number) => (random: Random) => low + (high - low) * random.uniform();

/** What the functions are asked for: large, usual and very small arguments. */
const ASKED = [
  { name: "exp", own: exp, theirs: Math.exp, xs: [[-700, 700] as const, [-20, 20] as const, [-1e-6, 1e-6] as const] },
  { name: "expm1", own: expm1, theirs: Math.expm1, xs: [[-45, 45] as const, [-1, 1] as const, [-1e-9, 1e-9] as const] },
  { name: "log", own: log, theirs: Math.log, xs: [[1e-300, 1e-299] as const, [0, 1e6] as const, [0.999, 1.001] as const] },
  { name: "sin", own: sin, theirs: Math.sin, xs: [[-1.6e6, 1.6e6] as const, [-7, 7] as const, [-1e-4, 1e-4] as const] },
  { name: "cos", own: cos, theirs: Math.cos, xs: [[-1.6e6, 1.6e6] as const, [-7, 7] as const, [-1e-4, 1e-4] as const] },
];
const argumentsOf = (xs: readonly (readonly [number, number])[]) => xs.flatMap(([low, high], i) => draws(2000, i, between(low, high)));

/** FNV-1a of the bits of numbers. */
function hashOf(values: readonly number[]): string {
  const bytes = new Uint8Array(Float64Array.from(values).buffer);
  return bytes.reduce((hash, byte) => Math.imul(hash ^ byte, 0x01000193), 0x811c9dc5 | 0).toString(16);
}

describe.each(ASKED)("$name", ({ own, theirs, xs }) => {
  it("is the engine's own to within three last places", () => {
    for (const x of argumentsOf(xs)) {
      const [a, b] = [own(x), theirs(x)];
      if (a !== b && Math.abs(a - b) > 3 * Number.EPSILON * Math.abs(b)) expect(a, `at ${x}`).toBe(b);
    }
  });
});

it("gives these bits on every machine", () => {
  expect(ASKED.map(({ name, own, xs }) => `${name} ${hashOf(argumentsOf(xs).map(own))}`)).toEqual([
    "exp 13b25896",
    "expm1 5e7217d7",
    "log -5115238a",
    "sin -183409a0",
    "cos -36c57c39",
  ]);
});

it("keeps the ends of the number line", () => {
  expect([exp(-Infinity), exp(-746), exp(-745), exp(0), exp(710), exp(Number.NaN)]).toEqual([0, 0, 5e-324, 1, Infinity, Number.NaN]);
  expect([expm1(-Infinity), expm1(-0), expm1(1e-300), expm1(Infinity), expm1(Number.NaN)]).toEqual([-1, -0, 1e-300, Infinity, Number.NaN]);
  expect([log(0), log(1), log(-1), log(Infinity), log(5e-324), log(Number.NaN)]).toEqual([
    -Infinity,
    0,
    Number.NaN,
    Infinity,
    Math.log(5e-324),
    Number.NaN,
  ]);
  expect([sin(0), cos(0), sin(Infinity), cos(Number.NaN)]).toEqual([0, 1, Number.NaN, Number.NaN]);
  expect(() => sin(1e9)).toThrow("internal: an angle must be within");
});

describe("powers", () => {
  it("of whole exponents are products", () => {
    expect([wholePower(3, 0), wholePower(3, 1), wholePower(3, 5), wholePower(2, 1000), wholePower(0, 0)]).toEqual([
      1,
      3,
      243,
      2 ** 1000,
      1,
    ]);
    for (const steps of [1, 7, 100, 4096, 100_000]) expect(wholePower(0.999, steps) / 0.999 ** steps).toBeCloseTo(1, 10);
  });

  it("of any exponent agree with the engine's", () => {
    expect([power(1, 17.5), power(7, 0), power(0, 0.5)]).toEqual([1, 1, 0]);
    for (const exponent of draws(200, 1, between(-1, 1))) expect(power(10_000, exponent) / 10_000 ** exponent).toBeCloseTo(1, 13);
  });
});
