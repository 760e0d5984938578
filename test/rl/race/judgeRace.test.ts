// What a race is said to show: nothing where combinations are equal, the better one where one is, and never more
// than one seed each can tell.
import { describe, expect, it } from "vitest";
import { differenceOf } from "../../../src/rl/race/difference.ts";
import { judgeRace } from "../../../src/rl/race/judgeRace.ts";
import { measureNamed } from "../../../src/rl/race/measures.ts";
import type { MeasuredCombination, RaceInput, Standing } from "../../../src/rl/race/race.ts";
import { wordsOf } from "../../../src/rl/race/raceWords.ts";
import { Random } from "../../../src/rl/random.ts";

const PLACES = [0, 10, 20, 30, 40, 50, 60];
const PROBLEMS = 64;
const RACES = 2000;

const rightOf = (share: number, random: Random) => {
  let right = 0;
  for (let i = 0; i < PROBLEMS; i++) if (random.uniform() < share) right += 1;
  return right / PROBLEMS;
};

/** A run that climbs to its end at a speed of its own: seeds of one setting differ, as those of training do. */
function run(end: number, spread: number, half: number, random: Random) {
  const own = Math.min(1, Math.max(0, end + spread * random.normal()));
  const ownHalf = Math.max(2, half * (1 + 0.3 * random.normal()));
  const ys = PLACES.map((x) => rightOf(0.1 + (own - 0.1) / (1 + Math.exp((ownHalf - x) / 4)), random));
  return { xs: PLACES, ys };
}

function race(ends: readonly number[], seeds: number, random: Random, { spread = 0.08, halves = ends.map(() => 15) } = {}): RaceInput {
  const combinations = ends.map(
    (end, i): MeasuredCombination => ({
      id: "ABCD"[i]!,
      label: `combination ${i}`,
      curves: Array.from({ length: seeds }, () => run(end, spread, halves[i]!, random)),
      trials: PROBLEMS,
      grain: 0,
    }),
  );
  return { combinations, axis: "steps", measure: measureNamed("greedy")!, target: 0.9, isOver: true };
}

function shareThat(shows: string, make: (random: Random) => RaceInput, isIt = (_: string) => true): number {
  let count = 0;
  for (let i = 0; i < RACES; i++) {
    const result = judgeRace(make(new Random(i).fork(shows)));
    if (result.shows === shows && isIt(result.sentence)) count += 1;
  }
  return count / RACES;
}

describe("2000 made-up races", () => {
  it.each([
    [2, 2],
    [2, 3],
    [2, 5],
    [4, 3],
  ])("of %i equal combinations over %i seeds show a difference in at most 5 %%", (combinations, seeds) => {
    const equal = Array.from({ length: combinations }, () => 0.6);
    expect(shareThat("a difference", (random) => race(equal, seeds, random))).toBeLessThanOrEqual(0.05);
  });
  it.each([2, 3, 5])("of two equal combinations that solve the task show no faster one over %i seeds in at least 95 %%", (seeds) => {
    expect(shareThat("a difference", (random) => race([1, 1], seeds, random, { spread: 0 }))).toBeLessThanOrEqual(0.05);
  });
  it("of two equal policies with one seed each say that they differ in about 5 %", () => {
    const same = (random: Random) => race([0.6, 0.6], 1, random, { spread: 0 });
    // Newcombe's interval of 64 answers each leaves the truth out slightly oftener than it says.
    expect(shareThat("two runs differ", same)).toBeLessThanOrEqual(0.065);
  });
  it("with one seed each never speak of the settings, however large the gap", () => {
    expect(shareThat("a difference", (random) => race([0.2, 0.9], 1, random))).toBe(0);
    expect(shareThat("two runs differ", (random) => race([0.2, 0.9], 1, random))).toBeGreaterThan(0.95);
  });
  it.each([
    [0.4, 0.9, 3],
    [0.5, 0.8, 5],
  ])("name the better of two that reach %f and %f over %i seeds in at least 95 %%", (low, high, seeds) => {
    const named = (sentence: string) => sentence.endsWith("the race shows that B reaches more than A.");
    expect(shareThat("a difference", (random) => race([low, high], seeds, random), named)).toBeGreaterThanOrEqual(0.95);
  });
  it("name the faster of two that both solve the task in at least 95 %", () => {
    const named = (sentence: string) => sentence.endsWith("the race shows that B is faster than A.");
    const make = (random: Random) => race([1, 1], 5, random, { spread: 0, halves: [26, 5] });
    expect(shareThat("a difference", make, named)).toBeGreaterThanOrEqual(0.95);
  });
});

const curve = (...ys: number[]) => ({ xs: ys.map((_, i) => 10 * i), ys });
const combination = (id: string, ...curves: MeasuredCombination["curves"]): MeasuredCombination => ({
  id,
  label: `combination ${id}`,
  curves,
  trials: 64,
  grain: 0,
});
const judge = (combinations: readonly MeasuredCombination[], more: Partial<RaceInput> = {}) =>
  judgeRace({ combinations, axis: "steps", measure: measureNamed("greedy")!, target: 0.9, isOver: true, ...more });

describe("a race", () => {
  it("is compared where all are, not where each is", () => {
    const { at, standings } = judge([combination("A", curve(0.1, 0.5, 0.6)), combination("B", curve(0.1, 0.55))], { isOver: false });
    expect(at).toBe(10);
    expect(standings.map(({ reached }) => reached.values)).toEqual([[0.5], [0.55]]);
  });

  it("waits for all combinations of a seed before it counts", () => {
    const done = curve(0.1, 0.5, 0.6);
    const two = [combination("A", done, curve(0.1, 0.4)), combination("B", done, curve(0.1))];
    expect(judge(two, { isOver: false })).toMatchObject({ at: 20, seeds: 1 });
    const both = [combination("A", done, done), combination("B", done, done)];
    expect(judge(both)).toMatchObject({ at: 20, seeds: 2 });
  });

  it("says the numbers, their interval and what one seed each cannot tell", () => {
    expect(judge([combination("A", curve(0.25, 0.5)), combination("B", curve(0.25, 0.84375))]).sentence).toBe(
      "At step 10 B (combination B) has 84 % of greedy answers right and A (combination A) 50 %: 34 points more than A (95 % interval 18 to 48). " +
        "These runs differ, but with one seed each this may be luck: race several seeds to compare the settings.",
    );
  });

  it("does not ask for seeds that are already under way, and says where they did not come as far", () => {
    const [low, high] = [curve(0.25, 0.5), curve(0.25, 0.84375)];
    const none = { xs: [], ys: [] };
    const queued = [combination("A", low, none, none), combination("B", high, none, none)];
    expect(judge(queued, { isOver: false }).sentence).toContain(
      "with one seed each so far this may be luck: 2 more seeds will tell about the settings.",
    );
    expect(judge(queued).sentence).toContain("2 more seeds did not come as far in every combination.");
    const equal = [combination("A", low, none), combination("B", low, none)];
    expect(judge(equal, { isOver: false }).sentence).toContain("With one seed each so far, the race shows no difference");
  });

  it("names the interval at every gap", () => {
    const three = judge([combination("A", curve(0.25, 0.5)), combination("B", curve(0.25, 0.75)), combination("C", curve(0.25, 0.9375))]);
    expect(three.sentence.match(/ \(95 % interval −?\d+ to \d+\)/g)).toHaveLength(2);
  });

  it("says that it shows no difference where the interval holds 0", () => {
    const result = judge([combination("A", curve(0.25, 0.5)), combination("B", curve(0.25, 0.53125))]);
    expect(result.shows).toBe("no difference");
    expect(result.sentence).toContain(
      "3 points more than A (95 % interval −14 to 20). With one seed each, the race shows no difference: the lead may be chance.",
    );
  });

  it("asks who was first where all have solved the task", () => {
    const solved = [combination("A", curve(0.1, 0.2, 1, 1)), combination("B", curve(0.1, 1, 1, 1)), combination("C", curve(0.1, 1, 1, 1))];
    expect(judge(solved).sentence).toBe(
      "All have solved the task at step 30; B (combination B) was first at 90 %, after 10 steps, before A by 10 steps and C by 0 steps. " +
        "With one seed each, the race shows no difference: each lead may be chance.",
    );
  });

  it("has nothing to say before all are measured after their start, and says who never was", () => {
    expect(judge([combination("A", curve(0.1, 0.5)), combination("B", curve(0.1))], { isOver: false })).toMatchObject({
      shows: "nothing yet",
      sentence: "Nothing to compare yet: all runs have to be measured after their start.",
    });
    expect(judge([combination("A", curve(0.1, 0.5)), combination("B", { xs: [], ys: [] })]).sentence).toBe(
      "Nothing can be compared: nothing was measured of B.",
    );
  });

  it("leaves a combination that failed out and compares the others", () => {
    const three = [combination("A", curve(0.1, 0.5)), combination("B", { xs: [], ys: [] }), combination("C", curve(0.1, 0.6))];
    expect(judge(three).standings.map(({ id }) => id)).toEqual(["A", "C"]);
  });
});

describe("the interval of a difference", () => {
  it("is Welch's over seeds: a worked example", () => {
    // Means 0.5 and 0.8, standard deviations 0.1 and 0.1, three each: t(4) = 2.776, standard error 0.0816.
    const found = differenceOf({ values: [0.4, 0.5, 0.6], trials: null }, { values: [0.7, 0.8, 0.9], trials: null }, 0.05)!;
    expect(found.value).toBeCloseTo(0.3, 12);
    expect(found.high - found.value).toBeCloseTo(2.776 * 0.08165, 2);
  });
  it("is never narrower than the answers behind the seeds allow", () => {
    const { low, high } = differenceOf({ values: [0.5, 0.5], trials: 8 }, { values: [0.75, 0.75], trials: 8 }, 0.05)!;
    expect([low < 0, high > 0.5]).toEqual([true, true]);
  });
  it("of shares ends where shares do", () => {
    const found = differenceOf({ values: [0.1, 0.05], trials: 64 }, { values: [1, 0.2], trials: 64 }, 0.05);
    expect(found).toMatchObject({ low: -1, high: 1 });
  });
  it("is not known of one reward each", () =>
    expect(differenceOf({ values: [0.5], trials: null }, { values: [0.7], trials: null }, 0.05)).toBeNull());
});

describe("runs that were evaluated at steps of their own", () => {
  const combination = (id: string, xs: readonly number[], ys: readonly number[]): MeasuredCombination => ({
    ...{ id, label: id, trials: PROBLEMS, grain: 0 },
    curves: [{ xs, ys }],
  });
  const judged = (combinations: readonly MeasuredCombination[]) =>
    judgeRace({ combinations, axis: "steps", measure: measureNamed("sampled")!, target: 0.9, isOver: true });

  it("are not compared where one of them was not measured", () => {
    const { shows, standings, sentence } = judged([
      combination("A", [0, 1000, 2000], [0.1, 1, 1]),
      combination("B", [0, 10, 20], [0.1, 0.3, 0.98]),
    ]);
    expect([shows, standings]).toEqual(["nothing yet", []]);
    expect(sentence).toBe("Nothing can be compared: the runs have no evaluations at equal steps beyond their start.");
  });

  it("are compared at the last step that is told of both", () => {
    expect(judged([combination("A", [0, 10, 20, 500], [0.1, 0.2, 0.3, 1]), combination("B", [0, 20, 60], [0.1, 0.4, 0.9])]).at).toBe(20);
    expect(judged([combination("A", [0, 12, 24], [0.1, 0.2, 0.3]), combination("B", [0, 10, 20], [0.1, 0.4, 0.9])]).at).toBe(20);
  });
});

it("says one point, whichever way it lies, and several", () => {
  const { gapText } = wordsOf(measureNamed("greedy")!);
  expect([0.31, 0.288, 0.49, 0.3].map((to) => gapText(0.3, to))).toEqual(["1 point", "−1 point", "19 points", "0 points"]);
});

describe("values and their differences", () => {
  const standings = (...means: readonly number[]) =>
    means.map((mean) => ({ reached: { values: [mean], trials: 64 } }) as unknown as Standing);
  const told = (measure: string, ...means: readonly [number, number]) => {
    const { value, gap, gapText } = wordsOf(measureNamed(measure)!, standings(...means));
    return [...means.map(value), gapText(...means), gap(-0.081)];
  };

  it("are whole percent where these come to the difference, and have a digit more where not", () => {
    expect(told("greedy", 0.53, 0.8)).toEqual(["53 %", "80 %", "27 points", "−8"]);
    expect(told("greedy", 0.534, 0.806)).toEqual(["53.4 %", "80.6 %", "27.2 points", "−8.1"]);
    expect(told("greedy", 0.8, 0.996)).toEqual(["80.0 %", "99.6 %", "19.6 points", "−8.1"]);
  });

  it("are rewards to three decimals, or four", () => {
    expect(told("reward", 0.25, 0.75)).toEqual(["0.250", "0.750", "0.500 of reward", "−0.081"]);
    expect(told("reward", 0.5334, 0.8126)).toEqual(["0.5334", "0.8126", "0.2792 of reward", "−0.081"]);
  });

  it("always come to each other as they are written", () => {
    const random = new Random(1);
    const number = (text: string) => Number(text.replace("−", "-").split(" ")[0]);
    for (let i = 0; i < 500; i++) {
      const means = Array.from({ length: 4 }, () => random.uniform());
      for (const measure of ["greedy", "reward"]) {
        const { value, gapText } = wordsOf(measureNamed(measure)!, standings(...means));
        for (const mean of means) {
          const texts = [value(means[0]!), value(mean), gapText(means[0]!, mean)];
          expect(number(texts[1]!) - number(texts[0]!), texts.join(", ")).toBeCloseTo(number(texts[2]!), 9);
        }
      }
    }
  });
});
