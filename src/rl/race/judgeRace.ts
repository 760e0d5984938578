// What a race shows, in one sentence. Combinations of settings are compared at one place of the axis that all have reached,
// never at the end of each. Two questions, one asked of each race, so that one error rate holds:
// - who reached more? By the differences of their values at that place (difference.ts).
// - where all have solved the task: who was first at the target?
// All pairs together are wrong in at most 5 % of races (Bonferroni). A difference is said to be shown only
// over several seeds: one seed each tells two runs apart, not what they were trained with. Looking again and
// again while a race goes on makes a false alarm likelier than that.
import { meanOf } from "../advantage/statistics.ts";
import { SOLVED_SHARE } from "../verdict.ts";
import { type Curve, endOf, isToldAt, reachedAt, valueAt } from "./curve.ts";
import { differenceOf, isApart, type Reached } from "./difference.ts";
import type { Lead, MeasuredCombination, RaceInput, RaceResult, Standing } from "./race.ts";
import { raceSentence } from "./raceSentence.ts";

/** All pairs of one race together. */
export const LEVEL = 0.05;
/** A seed counts once all combinations have come this far with it, as a share of the farthest seed. */
const NEARLY = 0.9;

export function judgeRace(input: RaceInput): RaceResult {
  const combinations = input.combinations.filter(({ curves }) => curves.some(({ xs }) => xs.length > 0));
  const common = commonPlace(combinations);
  if (!common || common.at === 0 || combinations.length < 2) {
    return { shows: "nothing yet", sentence: raceSentence(input, null), at: null, seeds: 0, standings: [] };
  }
  const { at, seeds } = common;
  const level = LEVEL / ((combinations.length * (combinations.length - 1)) / 2);
  const reached = combinations.map(
    ({ curves, trials, grain }): Reached => ({ values: seeds.map((s) => valueAt(curves[s]!, at) ?? Number.NaN), trials, grain }),
  );
  const { target, measure, isPaired = false } = input;
  const standings = combinations.map(
    ({ id, label, curves, asked = null }, i): Standing => ({
      id,
      label,
      asked,
      reached: reached[i]!,
      targets: seeds.map((s) => (target === null ? null : reachedAt(curves[s]!, target, at))),
      toFirst: i === 0 ? null : differenceOf(reached[0]!, reached[i]!, level, isPaired),
    }),
  );
  const isSolved = measure.isShare && reached.every(({ values }) => meanOf(values) >= SOLVED_SHARE);
  const speeds = isSolved ? speedsOf(standings, combinations, seeds) : null;
  const lead = leadOf(standings, speeds ?? reached, { level, isPaired, isSooner: speeds !== null });
  const shows = !lead.some(({ apart }) => apart) ? "no difference" : seeds.length > 1 ? "a difference" : "two runs differ";
  const sentence = raceSentence(input, { at, seeds: seeds.length, standings, lead, bySpeed: speeds !== null, shows });
  return { shows, sentence, at, seeds: seeds.length, standings };
}

/** The farthest place that all combinations have reached with the seeds that count, and which seeds those are; null before. */
function commonPlace(combinations: readonly MeasuredCombination[]): { readonly at: number; readonly seeds: readonly number[] } | null {
  const most = Math.max(0, ...combinations.map(({ curves }) => curves.length));
  const ends = Array.from({ length: most }, (_, s) => commonEnd(combinations.map(({ curves }) => curves[s] ?? { xs: [], ys: [] })));
  const farthest = Math.max(-1, ...ends);
  if (farthest < 0) return null;
  const seeds = ends.flatMap((end, s) => (end >= NEARLY * farthest ? [s] : []));
  return { at: Math.min(...seeds.map((s) => ends[s]!)), seeds };
}

/**
 * The farthest place that is told of all curves; -1 without one. Runs that were evaluated at steps of their own may have none
 * but the start: one at 20 steps and one at 1,000 say nothing of each other.
 */
function commonEnd(curves: readonly Curve[]): number {
  const end = Math.min(...curves.map((curve) => endOf(curve) ?? -1));
  const isTold = (place: number) => curves.every((curve) => isToldAt(curve, place));
  if (end < 0 || isTold(end)) return end;
  const before = [...new Set(curves.flatMap(({ xs }) => xs))].filter((place) => place < end).sort((a, b) => b - a);
  return before.find(isTold) ?? -1;
}

/** Where each was first at the target; null unless all were. */
function speedsOf(
  standings: readonly Standing[],
  combinations: readonly MeasuredCombination[],
  seeds: readonly number[],
): readonly Reached[] | null {
  if (standings.some(({ targets }) => targets.includes(null))) return null;
  return standings.map(({ targets }, i) => {
    const values = targets.filter((place) => place !== null);
    const grain = Math.max(...values.map((place, s) => gapBefore(combinations[i]!.curves[seeds[s]!]!, place)));
    return { values, trials: null, grain };
  });
}

/** Distance from the measurement before; 0 at the first. */
function gapBefore({ xs }: Curve, place: number): number {
  const at = xs.indexOf(place);
  return at > 0 ? place - xs[at - 1]! : 0;
}

interface LeadBy {
  readonly level: number;
  readonly isPaired: boolean;
  /** Whether less is better. */
  readonly isSooner: boolean;
}

function leadOf(standings: readonly Standing[], by: readonly Reached[], { level, isPaired, isSooner }: LeadBy): readonly Lead[] {
  const sign = isSooner ? -1 : 1;
  const means = by.map(({ values }) => sign * meanOf(values));
  const best = means.indexOf(Math.max(...means));
  const others = standings.map((_, i) => i).filter((i) => i !== best);
  others.sort((a, b) => means[a]! - means[b]!);
  return others.map((i) => {
    const [behind, ahead] = isSooner ? [by[best]!, by[i]!] : [by[i]!, by[best]!];
    const difference = differenceOf(behind, ahead, level, isPaired);
    return {
      best: standings[best]!,
      over: standings[i]!,
      value: means[best]! - means[i]!,
      interval: difference && [difference.low, difference.high],
      apart: difference !== null && isApart(difference),
    };
  });
}
