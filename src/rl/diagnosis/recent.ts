// What the last steps of a run come to, in counts: how many answers and groups they were, how surely a share of
// them lies above or below something, and whether they differ from the first ones.
import { counted } from "../../protocol/quantities.ts";
import { wilsonInterval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";
import { differenceEstimate, meanEstimate, scoreOf } from "../verdict/estimate.ts";
import { latest, RECENT_STEPS } from "../verdict/history.ts";
import type { Change, Level } from "../verdict/rewardTrend.ts";
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

export interface Thirds {
  readonly rise: Change | null;
  readonly fall: Change | null;
}

/**
 * Whether the last third of a metric differs from its first, for runs too short for a trend by blocks. One look by itself errs
 * now and then, so a diagnosis that reads it asks for a second sign as well.
 * @param begin the stretch that the last third is held against: the first third, or the middle one
 */
export function thirdsOf({ metric }: Pick<RunEvidence, "metric">, key: string, begin: "first" | "middle" = "first"): Thirds {
  const { steps, values } = metric(key);
  const series = Array.from(values);
  if (series.length < FEWEST_VALUES) return { rise: null, fall: null };
  const third = Math.floor(series.length / 3);
  const start = begin === "first" ? 0 : third;
  const early = meanEstimate(series.slice(start, start + third));
  const late = meanEstimate(series.slice(-third));
  const score = scoreOf(differenceEstimate(early, late));
  const level = (value: number, from: number): Level => ({ value, first: steps[from]!, last: steps[from + third - 1]! });
  const change = { from: level(early.value, start), to: level(late.value, series.length - third) };
  return { rise: score > SURELY ? change : null, fall: score < -SURELY ? change : null };
}
