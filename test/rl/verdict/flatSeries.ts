// Series of rewards that rise nowhere, of every kind of noise, and the history that a run of such rewards would have.
import type { BaselineRecord, EvaluationRecord } from "../../../src/protocol/records.ts";
import type { Random } from "../../../src/rl/random.ts";

/** Groups of a step, and answers of a group. */
const GROUPS = 8;

/** What a step records of its rewards: their mean, and where it is known its variance. */
export interface Step {
  readonly value: number;
  readonly variance?: number;
}
export type Make = (random: Random) => () => Step;

/** @param known whether the records tell the spread, as every run of groups does */
const autoregressive = (rho: number, known: boolean): Make => {
  return (random) => {
    let x = random.normal();
    return () => {
      x = rho * x + Math.sqrt(1 - rho * rho) * random.normal();
      return { value: x, ...(known ? { variance: 1 } : {}) };
    };
  };
};
const spreads = (spread: (random: Random, step: number) => number, known: boolean): Make => {
  return (random) => {
    let step = 0;
    return () => {
      const s = spread(random, step++);
      return { value: s * random.normal(), ...(known ? { variance: s * s } : {}) };
    };
  };
};
const drawn =
  (value: (random: Random) => number): Make =>
  (random) =>
  () => ({ value: value(random) });
const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length;
const rewarded = (count: number, share: number) => (random: Random) =>
  Array.from({ length: count }, () => Number(random.uniform() < share));

/** Groups of right and wrong answers; the variance is what their recorded spreads give. */
export const grouped = (size: number, share: (random: Random, step: number) => number, count = GROUPS): Make => {
  return (random) => {
    let step = 0;
    return () => groupsOf(random, step++);
  };
  function groupsOf(random: Random, step: number): Step {
    const groups = Array.from({ length: count }, () => rewarded(size, share(random, step))(random));
    const std = (values: readonly number[]) =>
      Math.sqrt(values.reduce((sum, each) => sum + (each - mean(values)) ** 2, 0) / (values.length - 1));
    const [s, w] = [std(groups.flat()), mean(groups.map(std))];
    const between = (Math.max(0, s * s - w * w) * (count * size - 1)) / ((count - 1) * size);
    return { value: mean(groups.flat()), variance: between / count + (w * w) / (count * size) };
  }
};

/** One group to a problem that is the only one of its task. */
const alone = (size: number, share: number): Make => {
  return (random) => () => {
    const value = mean(rewarded(size, share)(random));
    return { value, variance: (value * (1 - value)) / (size - 1) };
  };
};

export const FLAT: Readonly<Record<string, Make>> = {
  "independent noise": autoregressive(0, false),
  "noise of autocorrelation 0.3": autoregressive(0.3, false),
  "noise of autocorrelation 0.5": autoregressive(0.5, false),
  "noise of changing strength": spreads((random) => 0.5 + 1.5 * random.uniform(), false),
  "noise that fades": spreads((_, step) => 0.2 + 2 * Math.exp(-step / 20), false),
  "noise near its upper bound": drawn((random) => Math.min(1, 0.95 + 0.1 * random.normal())),
  "shares of eight answers": drawn((random) => mean(rewarded(8, 0.5)(random))),
  "rare successes": drawn((random) => rewarded(1, 0.1)(random)[0]!),
  "one answer, and steps without any": drawn((random) => (random.uniform() < 0.3 ? Number.NaN : rewarded(1, 0.5)(random)[0]!)),
  "skewed noise": drawn((random) => -Math.log(random.uniform() + 1e-12)),
  constant: drawn(() => 0.5),
  "known noise": autoregressive(0, true),
  "known noise of autocorrelation 0.3": autoregressive(0.3, true),
  "known noise of autocorrelation 0.5": autoregressive(0.5, true),
  "known noise of changing strength": spreads((random) => 0.5 + 1.5 * random.uniform(), true),
  "known noise that fades": spreads((_, step) => 0.2 + 2 * Math.exp(-step / 20), true),
  "groups of eight, problems of all kinds": grouped(8, (random) => random.uniform()),
  "groups of two": grouped(2, () => 0.5),
  "two groups of eight, problems of all kinds": grouped(8, (random) => random.uniform(), 2),
  "two groups that are rarely right": grouped(8, (random) => (random.uniform() < 0.1 ? 0.3 : 0), 2),
  "one group of eight to the only problem": alone(8, 0.3),
  "one group of sixty-four to an only problem that is rarely right": alone(64, 0.02),
  "groups that are rarely right": grouped(8, (random) => (random.uniform() < 0.1 ? 0.3 : 0)),
  "groups that are mostly right": grouped(8, (random) => (random.uniform() < 0.9 ? 1 : 0.5)),
};

/** A history of rewards whose recorded spreads say that variance: all of it between the groups. */
export function told(
  told_T: readonly Step[],
  evaluations: readonly EvaluationRecord[] = [],
  baselines: readonly BaselineRecord[] = [],
  planned?: number,
) {
  const scored = told_T.map((each, i) => ({ ...each, step: i + 1 })).filter(({ value }) => !Number.isNaN(value));
  const spread = scored.filter(({ variance }) => variance !== undefined);
  const points = (of: readonly { step: number }[], values: readonly number[]) => ({ steps: of.map(({ step }) => step), values });
  const metrics = new Map([
    [
      "reward",
      points(
        scored,
        scored.map(({ value }) => value),
      ),
    ],
    [
      "reward_std",
      points(
        spread,
        spread.map(({ variance }) => Math.sqrt((variance! * GROUPS * (GROUPS - 1) * GROUPS) / (GROUPS * GROUPS - 1))),
      ),
    ],
    [
      "reward/group_std",
      points(
        spread,
        spread.map(() => 0),
      ),
    ],
  ]);
  return {
    ...{
      evaluations,
      baselines,
      config: { promptsPerStep: GROUPS, groupSize: GROUPS, ...(planned === undefined ? {} : { steps: planned }) },
    },
    metric: (key: string) => metrics.get(key) ?? { steps: [], values: [] },
  };
}

/** The histories that `told` makes of the beginnings of a series: so many of its steps, of as many as were planned. */
export function toldUntil(told_T: readonly Step[]): (steps: number, planned?: number) => ReturnType<typeof told> {
  const whole = told(told_T);
  return (until, planned) => {
    const seen = new Map<string, ReturnType<typeof whole.metric>>();
    const metric = (key: string) => {
      const known = seen.get(key);
      if (known) return known;
      const { steps, values } = whole.metric(key);
      const later = steps.findIndex((step) => step > until);
      const count = later < 0 ? steps.length : later;
      const first = { steps: steps.slice(0, count), values: values.slice(0, count) };
      seen.set(key, first);
      return first;
    };
    return { ...whole, ...(planned === undefined ? {} : { config: { ...whole.config, steps: planned } }), metric };
  };
}
