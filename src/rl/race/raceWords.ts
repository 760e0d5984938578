// How the values of a race and their differences are written: with digits from which a reader finds each difference again. 53 % and
// 81 % are not 27 points apart, though 53.4 % and 80.6 % are 27.2.
import { measureText, measureWith, pointsWith, shareText } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import type { Measure } from "./measures.ts";
import type { Standing } from "./race.ts";

type Show = (value: number) => string;

export interface RaceWords {
  readonly value: Show;
  /** A difference without its unit, as the ends of an interval are written. */
  readonly gap: Show;
  /** "−1 point", "27.2 points": how much more the second value is than the first. */
  readonly gapText: (from: number, to: number) => string;
}

/** How a value and a difference are written with so many more digits than usual, and what a written value is as a number. */
interface Writing {
  readonly value: (value: number, more: number) => string;
  readonly gap: (gap: number, more: number) => string;
  readonly unit: (gap: string) => string;
}

const SHARES: Writing = {
  value: (share, more) => (more === 0 ? shareText(share) : `${pointsWith(share, more)} %`),
  gap: pointsWith,
  unit: (gap) => (/^−?1$/.test(gap) ? " point" : " points"),
};
const MEASURES: Writing = {
  value: (value, more) => (more === 0 ? measureText(value) : measureWith(value, 3 + more)),
  gap: (gap, more) => (more === 0 ? measureText(gap) : measureWith(gap, 3 + more)),
  unit: () => "",
};
const REWARDS: Writing = { ...MEASURES, unit: () => " of reward" };

/** A written number; NaN where the text is a bound, "< 0.1 %". */
const readNumber = (text: string) => Number(text.replace(/−/g, "-").replace(" %", ""));

/** The differences that a race tells: to the first combination, and of the best over each other. */
function toldOf(standings: readonly Standing[]): readonly (readonly [from: number, to: number])[] {
  const means = standings.map(({ reached }) => meanOf(reached.values));
  const best = Math.max(...means);
  return means.flatMap((mean) => [[means[0]!, mean] as const, [mean, best] as const]);
}

/**
 * How values of a measure and differences of a race are written; one digit more where those that are usual do not come
 * to the differences.
 */
export function wordsOf({ id, isShare }: Pick<Measure, "id" | "isShare">, standings: readonly Standing[] = []): RaceWords {
  const { value, gap, unit } = isShare ? SHARES : id === "reward" ? REWARDS : MEASURES;
  const scale = isShare ? 100 : 1;
  const ofShown = (from: number, to: number, more: number) => (readNumber(value(to, more)) - readNumber(value(from, more))) / scale;
  const agrees = ([from, to]: readonly [number, number]) => Math.abs(ofShown(from, to, 0) - readNumber(gap(to - from, 0)) / scale) < 1e-9;
  const more = toldOf(standings).every(agrees) ? 0 : 1;
  return {
    value: (each) => value(each, more),
    gap: (each) => gap(each, more),
    // With a digit more, what the shown values come to is at most one of that digit beside the difference itself.
    gapText: (from, to) => {
      const text = gap(more === 0 ? to - from : ofShown(from, to, more), more);
      return `${text}${unit(text)}`;
    },
  };
}
