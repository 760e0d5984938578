// Whether the last third of a metric differs from its first, for runs too short for a trend by blocks. One look by itself would err
// now and then, so a diagnosis that reads it asks for a second sign as well.
import { differenceEstimate, meanEstimate, scoreOf } from "../verdict/estimate.ts";
import type { Change, Level } from "../verdict/rewardTrend.ts";
import type { RunEvidence } from "./diagnosis.ts";

const [FEWEST, SURELY] = [6, 2.6] as const;

export interface Thirds {
  readonly rise: Change | null;
  readonly fall: Change | null;
}

/** @param begin the stretch that the last third is held against: the first third, or the middle one */
export function thirdsOf({ metric }: Pick<RunEvidence, "metric">, key: string, begin: "first" | "middle" = "first"): Thirds {
  const { steps, values } = metric(key);
  const series = Array.from(values);
  if (series.length < FEWEST) return { rise: null, fall: null };
  const third = Math.floor(series.length / 3);
  const start = begin === "first" ? 0 : third;
  const [early, late] = [meanEstimate(series.slice(start, start + third)), meanEstimate(series.slice(-third))];
  const score = scoreOf(differenceEstimate(early, late));
  const level = (value: number, from: number): Level => ({ value, first: steps[from]!, last: steps[from + third - 1]! });
  const change = { from: level(early.value, start), to: level(late.value, series.length - third) };
  return { rise: score > SURELY ? change : null, fall: score < -SURELY ? change : null };
}
