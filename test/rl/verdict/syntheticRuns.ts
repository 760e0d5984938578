// Runs made up with a known trend, to see whether a verdict finds it. A run is a curve of true accuracy
// over its steps and what is recorded of it:
// - 100 to 400 steps. The reward of a step is a + b·accuracy plus normal noise of standard deviation 0.02 to
//   0.06, as of a mean of 64 answers or more, where a is 0 to 0.3 and b 0.4 to 1.
// - an evaluation every 10 to 25 steps: 64 to 256 problems, each right with the true accuracy, drawn anew.
// The curves: flat; drifting up to the end; rising within the first tenth to third and flat from there on,
// below 0.85 or at 0.985 to 1; rising and then falling, by a jump or by a drift, in the last tenth to half; falling
// from the start; rising and then dropping and coming back within the last half.
import type { EvaluationRecord } from "../../../src/protocol/records.ts";
import { wilsonInterval } from "../../../src/rl/accuracy.ts";
import type { Random } from "../../../src/rl/random.ts";
import type { RunHistory } from "../../../src/rl/verdict/history.ts";
import type { Verdict } from "../../../src/rl/verdict.ts";

type Curve = (share: number) => number;

function between(random: Random, low: number, high: number): number {
  return low + (high - low) * random.uniform();
}

/** Linear from (x0, y0) to (x1, y1), flat outside. */
function ramp(x0: number, y0: number, x1: number, y1: number): Curve {
  return (x) => (x <= x0 ? y0 : x >= x1 ? y1 : y0 + ((y1 - y0) * (x - x0)) / (x1 - x0));
}

/** A rise that is over after a tenth to a third of the run, to `top`. */
function earlyRise(random: Random, top: number): Curve {
  return ramp(0, between(random, 0, top - 0.3), between(random, 0.1, 0.3), top);
}

/** What makes each kind of curve, and the word that it should get. */
export const KINDS: Readonly<Record<string, { readonly word: Verdict; readonly curve: (random: Random) => Curve }>> = {
  flat: {
    word: "no evidence yet",
    curve: (random) => {
      const level = between(random, 0.02, 0.8);
      return () => level;
    },
  },
  "drift upwards": {
    word: "improving",
    curve: (random) => ramp(0, between(random, 0, 0.3), 1, between(random, 0.6, 0.85)),
  },
  "rise and plateau": { word: "plateau", curve: (random) => earlyRise(random, between(random, 0.45, 0.85)) },
  "rise to a solution": { word: "solved", curve: (random) => earlyRise(random, between(random, 0.985, 1)) },
  "solved from the start": {
    word: "solved",
    curve: (random) => {
      const level = between(random, 0.985, 1);
      return () => level;
    },
  },
  "rise and jump down": {
    word: "falling",
    curve: (random) => {
      const top = between(random, 0.6, 1);
      const rise = earlyRise(random, top);
      const [at, bottom] = [between(random, 0.5, 0.9), top * between(random, 0, 0.6)];
      return (x) => (x < at ? rise(x) : bottom);
    },
  },
  "rise and drift down": {
    word: "falling",
    curve: (random) => {
      const top = between(random, 0.6, 1);
      const [rise, fall] = [earlyRise(random, top), ramp(between(random, 0.4, 0.6), 1, 1, between(random, 0, 0.5))];
      return (x) => rise(x) * fall(x);
    },
  },
  "fall from the start": {
    word: "falling",
    curve: (random) => {
      const top = between(random, 0.5, 1);
      return ramp(0, top, between(random, 0.02, 0.8), top * between(random, 0, 0.6));
    },
  },
  "collapse and recovery": {
    word: "unstable",
    curve: (random) => {
      const top = between(random, 0.6, 1);
      const rise = earlyRise(random, top);
      const [at, length, bottom] = [between(random, 0.4, 0.6), between(random, 0.15, 0.25), top * between(random, 0, 0.5)];
      return (x) => (x > at && x < at + length ? bottom : rise(x));
    },
  },
};

/** What a made-up run of a kind recorded; without evaluations only rewards. */
export function recordOf(kind: string, random: Random, isEvaluated: boolean): Pick<RunHistory, "metric" | "evaluations" | "baselines"> {
  const curve = KINDS[kind]!.curve(random);
  const count = 100 + random.below(301);
  const noise = between(random, 0.02, 0.06);
  const [base, slope] = [between(random, 0, 0.3), between(random, 0.4, 1)];
  const every = 10 + random.below(16);
  const problems = 64 + random.below(193);
  const values = Array.from({ length: count }, (_, i) => base + slope * curve((i + 1) / count) + noise * random.normal());
  const steps = values.map((_, i) => i + 1);
  const asked = isEvaluated ? Math.floor(count / every) + 1 : 0;
  return {
    metric: (key) => (key === "reward" ? { steps, values } : { steps: [], values: [] }),
    evaluations: Array.from({ length: asked }, (_, i) => evaluationOf(i * every, problems, curve((i * every) / count), random)),
    baselines: [],
  };
}

function evaluationOf(step: number, problems: number, accuracy: number, random: Random): EvaluationRecord {
  let right = 0;
  for (let i = 0; i < problems; i++) if (random.uniform() < accuracy) right += 1;
  return evaluationRecord(step, right, problems);
}

/** An evaluation in which so many problems were answered right. */
export function evaluationRecord(step: number, right: number, problems: number): EvaluationRecord {
  const [share, interval] = [right / problems, wilsonInterval(right, problems)];
  return {
    ...{ step, problems, samplesPerProblem: 4, greedyAccuracy: share, greedyInterval: interval },
    ...{ sampledAccuracy: share, sampledInterval: interval, passAtK: {}, formRate: 1, meanReward: Number.NaN },
  };
}
