// Verdicts: right on made-up runs of every kind, on the cases that once were misjudged, and built on tests
// whose p values are those of the textbooks.
import { describe, expect, it } from "vitest";
import { Random } from "../../../src/rl/random.ts";
import { differenceEstimate, normalScoreOf, scoreOf, shareDifference, upperQuantile } from "../../../src/rl/verdict/estimate.ts";
import { levelEstimate, noiseOf } from "../../../src/rl/verdict/trend.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { evaluationRecord, KINDS, recordOf } from "./syntheticRuns.ts";

const SERIES = 500;

function told(rewards: readonly number[], evaluations: readonly (readonly [step: number, right: number, problems: number])[] = []) {
  const steps = rewards.map((_, i) => i + 1);
  return {
    metric: (key: string) => (key === "reward" ? { steps, values: rewards } : { steps: [], values: [] }),
    evaluations: evaluations.map((each) => evaluationRecord(...each)),
    baselines: [],
  };
}

const noisy = (steps: number, mean: (step: number) => number, seed = 1) => {
  const random = new Random(seed);
  return Array.from({ length: steps }, (_, i) => mean(i) + 0.03 * random.normal());
};

describe("the verdict on 500 made-up runs of a kind", () => {
  const shareOfRight = (kind: string, isEvaluated: boolean) => {
    let right = 0;
    for (let seed = 0; seed < SERIES; seed++) {
      if (judgeRun(recordOf(kind, new Random(seed).fork(kind), isEvaluated)).verdict === KINDS[kind]?.word) right += 1;
    }
    return right / SERIES;
  };
  it.each(Object.entries(KINDS).map(([kind, { word }]) => [kind, word] as const))("of a %s is “%s” in at least 95 %%", (kind) =>
    expect(shareOfRight(kind, true)).toBeGreaterThanOrEqual(0.95),
  );
  // Whether a task is solved cannot be read off rewards alone.
  it.each(Object.keys(KINDS).filter((kind) => KINDS[kind]?.word !== "solved"))("is as good on the rewards of a %s alone", (kind) =>
    expect(shareOfRight(kind, false)).toBeGreaterThanOrEqual(0.95),
  );
});

describe("the verdict", () => {
  it("calls a run falling whose accuracy fell from 91 to 60 percent under a flat reward", () => {
    const { verdict, sentence } = judgeRun(
      told(
        noisy(100, () => 0.6),
        [
          [0, 58, 128],
          [20, 117, 128],
          [100, 77, 128],
        ],
      ),
    );
    expect(verdict).toBe("falling");
    expect(sentence).toBe("The sampled accuracy fell from 91 % at step 20 to 60 % at step 100.");
  });

  it("calls a run solved that has been solved and flat for 100 steps", () => {
    const rewards = noisy(200, (i) => Math.min(1, 0.1 + i / 100));
    const { verdict, sentence } = judgeRun(
      told(rewards, [
        [0, 4, 128],
        [100, 128, 128],
        [200, 127, 128],
      ]),
    );
    expect([verdict, sentence]).toEqual([
      "solved",
      "127 of 128 greedy held-out answers are right at step 200: surely more than 96 %, and 99.2 % of the sampled ones.",
    ]);
  });

  it("calls nothing solved whose greedy answers were right from the start while sampled ones are not", () => {
    const evaluations = [0, 10].map((step) => ({
      ...evaluationRecord(step, 128, 128),
      sampledAccuracy: 0.25,
      sampledInterval: [0.2, 0.3] as const,
    }));
    const rewards = noisy(10, () => 0.25);
    expect(judgeRun({ ...told(rewards), evaluations }).verdict).toBe("no evidence yet");
    expect(judgeRun({ ...told([]), evaluations: evaluations.slice(0, 1) }).verdict).toBe("no evidence yet");
  });

  it("keeps a rise after which nearly all rewards are equal", () => {
    // As recorded of a policy that was paid for being decided.
    const early = [
      0.745, 0.852, 0.801, 0.724, 0.866, 0.895, 0.859, 0.83, 0.683, 0.776, 0.804, 0.894, 0.837, 0.678, 0.861, 0.794, 0.897, 0.724, 0.885,
      0.866, 0.826, 0.863, 0.907, 0.842, 0.875, 0.917, 0.906, 0.94, 0.909, 0.883, 0.929, 0.951, 0.94, 0.951, 0.951, 0.929, 0.951, 0.951,
      0.951, 0.908, 0.951, 0.918, 0.951, 0.951, 0.951, 0.951, 0.929, 0.951, 0.951, 0.951, 0.951, 0.918, 0.94, 0.951, 0.951, 0.951, 0.951,
      0.951, 0.951, 0.951,
    ];
    const rewards = [...early, ...Array(140).fill(0.951)];
    for (const n of [60, 100, 200]) expect(["improving", "plateau"]).toContain(judgeRun(told(rewards.slice(0, n))).verdict);
  });

  it("keeps no rise whose half is gone again", () => {
    const rewards = [0.2, 0.24, 0.36, 0.32, 0.5, 0.55, 0.79, 0.94, 0.98, 0.99, 0.07, 0.33, 0.37, 0.36];
    const history = (n: number) => ({ ...told(rewards.slice(0, n)), config: { promptsPerStep: 1, groupSize: 64 } });
    expect([10, 14].map((n) => judgeRun(history(n)).verdict)).toEqual(["improving", "no evidence yet"]);
  });

  it("calls a run improving whose accuracy rose from 45 to 74 percent, whatever its reward shows", () => {
    const { verdict, sentence } = judgeRun(
      told(
        noisy(50, () => 0.5),
        [
          [0, 57, 128],
          [50, 95, 128],
        ],
      ),
    );
    expect([verdict, sentence]).toEqual([
      "improving",
      "The sampled accuracy rose from 45 % at step 0 to 74 % at step 50; it is too early to say whether the rise goes on.",
    ]);
  });

  it("believes the accuracy where reward and accuracy part", () => {
    const rewards = noisy(100, (i) => i / 100);
    const falling = [
      [0, 120, 128],
      [50, 80, 128],
      [100, 40, 128],
    ] as const;
    expect(judgeRun(told(rewards, falling)).verdict).toBe("falling");
    const worse = noisy(100, (i) => 1 - i / 100);
    const rising = falling.map(([step, right]) => [100 - step, right, 128] as const).reverse();
    expect(judgeRun(told(worse, rising)).verdict).toBe("improving");
  });

  it("calls nothing a plateau that may have risen by half as much again", () => {
    const rising = noisy(25, (i) => 0.35 + 0.006 * i);
    expect(judgeRun(told(rising)).verdict).toBe("improving");
    const over = noisy(100, (i) => Math.min(0.65, 0.35 + 0.012 * i));
    expect(judgeRun(told(over)).verdict).toBe("plateau");
  });

  it("calls a rise that has slowed down no plateau", () => {
    const rewards = noisy(24, (i) => 0.25 + 0.25 * (1 - Math.exp(-i / 12)), 3);
    const evaluations = [
      [0, 58, 128],
      [10, 93, 128],
      [20, 105, 128],
    ] as const;
    expect(judgeRun(told(rewards, evaluations)).verdict).toBe("improving");
  });

  it("sees a collapse after the last evaluation", () => {
    const rewards = noisy(100, (i) => (i < 90 ? 0.8 : 0.1));
    expect(judgeRun(told(rewards, [[80, 128, 128]])).verdict).toBe("falling");
  });

  it("sees a collapse and a recovery, and forgets them when they are long ago", () => {
    const dip = (i: number) => (i >= 60 && i < 70 ? 0.1 : 0.8);
    expect(judgeRun(told(noisy(100, dip))).verdict).toBe("unstable");
    expect(judgeRun(told(noisy(300, dip))).verdict).not.toBe("unstable");
  });

  it("says nothing of a few steps, of equal rewards or of none", () => {
    expect(judgeRun(told([0, 1, 2])).verdict).toBe("no evidence yet");
    expect(judgeRun(told(new Array(50).fill(0.5))).verdict).toBe("no evidence yet");
    expect(judgeRun(told([])).sentence).toBe("Nothing is measured yet that could have changed.");
    const asked = [0, 50].map((step) => [step, 10, 128] as const);
    expect(judgeRun(told([], asked)).sentence).toBe("The greedy or sampled accuracy of 2 evaluations shows no change beyond chance.");
  });

  it("says why a lift that stands out by itself is no evidence yet, and nothing of one that does not", () => {
    const atOnce = (right: number) =>
      judgeRun(
        told(
          [],
          [
            [0, 0, 61],
            [60, right, 61],
          ],
        ),
      );
    expect(atOnce(6)).toEqual({
      verdict: "no evidence yet",
      sentence:
        "The sampled and the greedy accuracy would differ from the start's if compared once; in a run looked at so often, chance brings that now and then.",
    });
    expect(atOnce(3).sentence).toBe("The greedy or sampled accuracy of 2 evaluations shows no change beyond chance.");
  });
});

describe("the tests behind the verdict", () => {
  /** By how much the last values of a series lie above as many first ones, as a normal score. */
  const apart = (values: readonly number[], count: number) => {
    const noise = noiseOf(values);
    return scoreOf(differenceEstimate(levelEstimate(values.slice(0, count), noise), levelEstimate(values.slice(-count), noise)));
  };
  it.each([0, 0.3])("call stretches of mere noise of autocorrelation %f different as seldom as they say", (rho) => {
    let above = 0;
    for (let seed = 0; seed < 2000; seed++) {
      const random = new Random(seed);
      let x = random.normal();
      const values = Array.from({ length: 60 }, () => {
        x = rho * x + Math.sqrt(1 - rho * rho) * random.normal();
        return x;
      });
      if (apart(values, 15) > 2.326) above += 1;
    }
    // One in a hundred, and no more than chance makes of it.
    expect(above / 2000).toBeLessThan(0.015);
  });

  it("take what is known of the noise for it, and equal values for no change", () => {
    const values = noisy(12, () => 0, 2);
    const known = noiseOf(
      values,
      values.map(() => 1),
    );
    expect(known).toMatchObject({ isKnown: true, variance: expect.closeTo(0.73, 1) });
    expect(noiseOf(values).isKnown).toBe(false);
    const equal = new Array(12).fill(0.1);
    expect(apart(equal, 4)).toBeLessThan(0.1);
  });

  it("agree with tables of Student's t, the normal distribution and Newcombe's differences", () => {
    // t = 5 with 8 degrees of freedom: one-sided p = 0.000526, a normal score of 3.277.
    expect(normalScoreOf(5, 8)).toBeCloseTo(3.277, 1);
    const tails = { 0.25: 0.67449, 0.025: 1.959964, 0.005: 2.575829, 1e-4: 3.719016, 1e-6: 4.753424 };
    for (const [p, z] of Object.entries(tails)) expect(upperQuantile(Number(p))).toBeCloseTo(z, 3);
    // Newcombe 1998, table II, example (a), 56/70 against 48/80: 0.2 (0.0524 to 0.3339).
    const [low, high] = shareDifference({ right: 48, of: 80 }, { right: 56, of: 70 }, 1.959964);
    expect([low, high]).toEqual([expect.closeTo(0.0524, 4), expect.closeTo(0.3339, 4)]);
  });
});
