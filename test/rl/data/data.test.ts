import { describe, expect, it } from "vitest";
import { HELD_OUT_ONE_IN, hash32, isHeldOut, problemStream } from "../../../src/rl/data/problems.ts";

const stream = (seed = 0) =>
  problemStream(seed, "numbers", (random, position) => ({ id: `${position}/${random.bits()}`, messages: [], answer: "" }));

describe("the held-out split", () => {
  it("holds out one key in eight, evenly", () => {
    const keys = Array.from({ length: 40_000 }, (_, i) => `${i % 200} + ${Math.floor(i / 200)}`);
    const share = keys.filter(isHeldOut).length / keys.length;
    // Five standard deviations of a binomial share.
    expect(Math.abs(share - 1 / HELD_OUT_ONE_IN)).toBeLessThan(5 * Math.sqrt(0.109 / keys.length));
  });

  it("hashes known texts to fixed numbers, so that splits never move", () => {
    expect([hash32(""), hash32("a"), hash32("37 + 48")]).toEqual([2872998923, 444641715, 1505525581]);
    expect(hash32("37 + 48")).not.toBe(hash32("38 + 47"));
  });
});

describe("a problem stream", () => {
  it("is the same for a seed however it is cut, and different for another", () => {
    const whole = stream().next(10);
    const loader = stream();
    expect([...loader.next(3), ...loader.next(7)]).toEqual(whole);
    expect(stream(1).next(10)).not.toEqual(whole);
  });

  it("continues where a saved one stood", () => {
    const loader = stream();
    loader.next(5);
    const continued = stream();
    continued.restore(loader.state());
    expect(continued.next(4)).toEqual(loader.next(4));
  });

  it("refuses a position that is none", () => {
    expect(() => stream().restore(-1)).toThrow("position in the data must be a whole number >= 0, got -1");
    expect(() => stream().restore(0.5)).toThrow("got 0.5");
  });
});
