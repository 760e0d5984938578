// What the last steps of a run come to, in counts: how many answers and groups they were, how surely a share of
// them lies above or below something, and whether they differ from the first ones.
import { counted } from "../../protocol/quantities.ts";
import { wilsonInterval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";
import { differenceEstimate, meanEstimate, scoreOf } from "../verdict/estimate.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import { levelOf, metricTrend, type Trend } from "../verdict/rewardTrend.ts";
import type { RunEvidence } from "./diagnosis.ts";

/** Steps from which a diagnosis may speak at all, and answers. */
const FEWEST_STEPS = 2;
const FEWEST_ANSWERS = 32;

export interface Recent {
  /** Of the steps, groups and answers that count as the present. */
  readonly steps: number;
  readonly groups: number;
  readonly answers: number;
  /** "In the last 20 steps", "In all 3 steps". */
  readonly when: string;
  /** The mean of a metric over them; NaN where it is not recorded. */
  readonly mean: (key: string) => number;
}

/** The present of a run; null where it is too short, or where its sizes are not known. */
export function recentOf(run: RunEvidence): Recent | null {
  const all = run.metric("reward").values.length;
  const steps = Math.min(all, RECENT_STEPS);
  const { promptsPerStep = 0, groupSize = 0 } = run.config;
  const groups = steps * promptsPerStep;
  if (steps < FEWEST_STEPS || groups * groupSize < FEWEST_ANSWERS) return null;
  const when = steps === all ? `In all ${counted(steps, "step")}` : `In the last ${steps} steps`;
  return { steps, groups, answers: groups * groupSize, when, mean: (key) => meanOf(latest(run, key)) };
}

/** The 95 % interval of a share of so many; answers of a group are alike, so that they count half. [0, 1] where it is not known. */
export const ofAnswers = (share: number, { answers }: Recent) => between(share, answers / 2);
export const ofGroups = (share: number, { groups }: Recent) => between(share, groups);

function between(share: number, of: number): readonly [number, number] {
  return Number.isFinite(share) ? wilsonInterval(share * of, of) : [0, 1];
}

/** Values from which thirds say something, and the standard deviations by which they differ. */
const FEWEST_VALUES = 6;
const SURELY = 2.6;

export type Changes = Pick<Trend, "rise" | "fall">;

/**
 * Whether the last third of a metric differs from its first, for runs too short for a trend by blocks. One look by itself errs
 * now and then, so a diagnosis that reads it asks for a second sign as well.
 * @param begin the stretch that the last third is held against: the first third, or the middle one
 */
export function changeByThirds({ metric }: Pick<RunEvidence, "metric">, key: string, begin: "first" | "middle" = "first"): Changes {
  const { steps, values } = metric(key);
  const series = Array.from(values);
  if (series.length < FEWEST_VALUES) return { rise: null, fall: null };
  const third = Math.floor(series.length / 3);
  const start = begin === "first" ? 0 : third;
  const end = series.length;
  const score = scoreOf(differenceEstimate(meanEstimate(series.slice(start, start + third)), meanEstimate(series.slice(end - third))));
  const change = { from: levelOf(series, steps, start, start + third), to: levelOf(series, steps, end - third, end) };
  return { rise: score > SURELY ? change : null, fall: score < -SURELY ? change : null };
}

/** What rose or fell by the trend of a metric, and where that shows nothing, by its thirds. */
export function changesOf(run: RunEvidence, key: string, trend: Changes = metricTrend(run, key)): Changes {
  const thirds = changeByThirds(run, key);
  return { rise: trend.rise ?? thirds.rise, fall: trend.fall ?? thirds.fall };
}
