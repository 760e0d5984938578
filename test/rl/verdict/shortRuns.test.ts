// The verdict at the end of a run of few steps: no rise is told of a flat one, a large one is found, and what it does not know it says.
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/rl/random.ts";
import { seenAtEnd } from "../../../src/rl/verdict/rewardTrend.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { tries } from "../../support/long.ts";
import { FLAT, grouped, type Make, type Step, told, toldUntil } from "./flatSeries.ts";
import { evaluationRecord } from "./syntheticRuns.ts";

const SERIES = 500;
/** Far from 5 % a fifth of the series shows it as well: the noises of autocorrelation 0.5 alone come near. */
const seriesOf = (kind: string): number => (kind.endsWith("0.5") ? SERIES : tries(100, SERIES));
const LENGTHS = [6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 30, 40];
const QUIET = ["no evidence yet", "no clear change"];
const ended = (steps_T: readonly Step[]) => judgeRun(told(steps_T, [], [], steps_T.length));
const series = (make: Make, seed: number, length: number) => Array.from({ length }, make(new Random(seed)));

/** Shares of right answers from one to another; problems differ by as much again as their answers' chance. */
const rising = (from: number, to: number, length: number, prompts: number): Make =>
  grouped(8, (random, step) => Math.min(1, Math.max(0, from + ((to - from) * step) / (length - 1) + 0.1 * random.normal())), prompts);

function shareOf(word: string, make: Make, length: number): number {
  const words = Array.from({ length: SERIES }, (_, seed) => ended(series(make, seed, length)).verdict);
  return words.filter((each) => each === word).length / SERIES;
}

const rates: string[] = [];

describe("the verdict at the end of a short run", () => {
  it.each(Object.keys(FLAT))("of flat runs of %s gives a false alarm, on the way or at the end, to one in twenty at most", (kind) => {
    const alarms = new Map(LENGTHS.map((length) => [length, 0]));
    for (let seed = 0; seed < seriesOf(kind); seed++) {
      const steps = series((random) => FLAT[kind]!(random.fork(kind)), seed, 40);
      const until = toldUntil(steps);
      const first = steps.findIndex((_, i) => !QUIET.includes(judgeRun(until(i + 1)).verdict));
      for (const length of LENGTHS) {
        const isAlarm = (first >= 0 && first < length) || !QUIET.includes(judgeRun(until(length, length)).verdict);
        if (isAlarm) alarms.set(length, alarms.get(length)! + 1);
      }
    }
    const shares = [...alarms].map(([length, count]) => [length, count / seriesOf(kind)] as const);
    rates.push(`${kind}: ${shares.map(([length, share]) => `${(100 * share).toFixed(1)} % of ${length} steps`).join(", ")}`);
    for (const [length, share] of shares) expect(share, `${length} steps`).toBeLessThanOrEqual(0.05);
  });

  it.each([
    ["improving", 2, 12, 0.14, 0.9, 0.95, 1],
    ["improving", 4, 8, 0.14, 0.9, 0.95, 1],
    ["improving", 2, 16, 0.2, 0.7, 0.7, 1],
    ["improving", 2, 12, 0.25, 0.3, 0, 0.1],
    ["falling", 2, 12, 0.9, 0.14, 0.85, 1],
    ["no clear change", 2, 12, 0.25, 0.3, 0.9, 1],
  ] as const)(
    "is “%s” of %i prompts x 8 answers over %i steps from %f to %f in a share of %f to %f",
    (word, prompts, length, from, to, least, most) => {
      const share = shareOf(word, rising(from, to, length, prompts), length);
      rates.push(`${prompts} x 8 answers, ${length} steps from ${from} to ${to}: ${(100 * share).toFixed(1)} % ${word}`);
      expect(share).toBeGreaterThanOrEqual(least);
      expect(share).toBeLessThanOrEqual(most);
    },
  );

  it("names a rise that runs of three times the prompts, or steps, mostly show", () => {
    const [prompts, length] = [4, 12];
    const flat = series(rising(0.3, 0.3, length, prompts), 1, length);
    const { wouldShow } = seenAtEnd(told(flat), 3)!;
    for (const [more, longer] of [
      [3 * prompts, length],
      [prompts, 3 * length],
    ] as const) {
      const share = shareOf("no clear change", rising(0.3, 0.3 + wouldShow, longer, more), longer);
      rates.push(`a rise of ${wouldShow.toFixed(2)}, ${more} prompts, ${longer} steps: ${(100 * share).toFixed(1)} % without a word`);
      expect(share).toBeLessThan(0.4);
    }
  });

  it("says what was seen, by its name, and what would show more", () => {
    const steps = [0.25, 0.2, 0.3, 0.25, 0.2, 0.3, 0.25, 0.3, 0.2, 0.3, 0.25, 0.3].map((value) => ({ value, variance: 0.01 }));
    const evaluations = [evaluationRecord(0, 4, 16), evaluationRecord(12, 5, 16)];
    expect(judgeRun(told(steps, evaluations, [], 12)).sentence).toMatch(
      /^The reward went from 0\.250 \(mean of steps 1 to 4\) to 0\.263 \(mean of steps 9 to 12\): no change beyond chance\. The sampled accuracy went from 25 % at step 0 to 31 % at step 12, no change beyond chance either\. With 3 times the steps, or 3 times the prompts a step, a rise of 0\.\d+ would mostly show\.$/,
    );
    // Of 13 planned steps one is to come, and a run of 0 goes on until somebody stops it.
    for (const planned of [13, 0]) expect(judgeRun(told(steps, evaluations, [], planned)).verdict).toBe("no evidence yet");
    expect(ended(steps.slice(0, 4)).sentence).toBe("The reward of 4 steps tells no change from chance: that takes more steps.");
    expect(ended(steps.map(() => ({ value: 0.5 }))).sentence).toBe(
      "The reward stayed the same for all 12 steps: 0.500 (mean of steps 9 to 12).",
    );
    expect(ended(series(rising(0.14, 0.9, 12, 8), 1, 12)).sentence).toMatch(
      /; only more steps would show whether the rise goes on\.$|, and the rise goes on\.$/,
    );
  });

  it("has these rates", () => process.stdout.write(`\n${rates.join("\n")}\n`));
});
