// Paired seeds: one difference for each seed holds the true one as often as it says, and tells more where seeds have much in common.
import { describe, expect, it } from "vitest";
import { differenceOf, type Reached } from "../../../src/rl/race/difference.ts";
import { Random } from "../../../src/rl/random.ts";

const RACES = 2000;
const PROBLEMS = 64;
const TRUE_DIFFERENCE = 0.1;

const shareOf = (chance: number, random: Random) => {
  let right = 0;
  for (let i = 0; i < PROBLEMS; i++) if (random.uniform() < chance) right += 1;
  return right / PROBLEMS;
};

/** Two combinations over the same seeds, whose luck of training both share in part. */
function shares(seeds: number, common: number, own: number, random: Random): readonly [Reached, Reached] {
  const luck = Array.from({ length: seeds }, () => common * random.normal());
  const reach = (mean: number): Reached => ({
    values: luck.map((each) => shareOf(Math.min(1, Math.max(0, mean + each + own * random.normal())), random)),
    trials: PROBLEMS,
  });
  return [reach(0.45), reach(0.45 + TRUE_DIFFERENCE)];
}

function rewards(seeds: number, common: number, own: number, random: Random): readonly [Reached, Reached] {
  const luck = Array.from({ length: seeds }, () => common * random.normal());
  const reach = (mean: number): Reached => ({
    values: luck.map((each) => mean + each + own * random.normal()),
    trials: null,
    grain: 0.001,
  });
  return [reach(0), reach(TRUE_DIFFERENCE)];
}

function simulated(make: typeof shares, seeds: number, common: number, isPaired: boolean) {
  let [held, width] = [0, 0];
  for (let i = 0; i < RACES; i++) {
    const found = differenceOf(...make(seeds, common, 0.03, new Random(i).fork(`${seeds} ${common}`)), 0.05, isPaired)!;
    if (found.low <= TRUE_DIFFERENCE && TRUE_DIFFERENCE <= found.high) held += 1;
    width += (found.high - found.low) / RACES;
  }
  return { held: held / RACES, width };
}

describe("the interval of paired seeds", () => {
  it.each([
    ["shares", 2, 0.1],
    ["shares", 3, 0.1],
    ["shares", 5, 0.1],
    ["shares", 10, 0],
    ["rewards", 3, 0.1],
    ["rewards", 5, 0],
    ["rewards", 10, 0.1],
  ] as const)("of %s over %i seeds that share a spread of %f holds the true difference in 95 %% of races", (kind, seeds, common) => {
    const { held } = simulated(kind === "shares" ? shares : rewards, seeds, common, true);
    // Three standard errors of 2000 races.
    expect(held).toBeGreaterThanOrEqual(0.95 - 3 * Math.sqrt((0.95 * 0.05) / RACES));
  });

  it("is narrower than that of independent seeds where they have much in common", () => {
    const of = (isPaired: boolean) => simulated(rewards, 5, 0.1, isPaired).width;
    expect(of(true)).toBeLessThan(0.6 * of(false));
  });

  it("is never surer than what the values were counted from", () => {
    const agreeing = (value: number): Reached => ({ values: [value, value, value], trials: PROBLEMS });
    const { low, high } = differenceOf(agreeing(0.5), agreeing(0.53125), 0.05, true)!;
    expect(low).toBeLessThan(0);
    expect(high - low).toBeGreaterThan(0.05);
    const few: Reached = { values: [1, 2], trials: null };
    expect(differenceOf(few, few, 0.05, true)).toBeNull();
  });
});
