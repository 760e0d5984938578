// The words of a race's result: what was compared where, how far apart, how sure, and what that does not show.
import { capital } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";
import { AXES, type Axis, placeText, shortCount } from "./axis.ts";
import { LEAST_SEEDS } from "./difference.ts";
import type { Lead, RaceInput, Shows, Standing } from "./race.ts";
import { type RaceWords, wordsOf } from "./raceWords.ts";

interface RaceReading {
  readonly at: number;
  readonly seeds: number;
  readonly standings: readonly Standing[];
  /** Of the best combination over each other, the last one first. */
  readonly lead: readonly Lead[];
  readonly bySpeed: boolean;
  readonly shows: Shows;
}

/** More combinations than so many are not told one by one, but those next to the best. */
const MANY = 5;
const NEXT = 2;

/** The sentence of a race; `judged` is null while there is nothing to compare. */
export function raceSentence(input: RaceInput, judged: RaceReading | null): string {
  if (!judged) return nothingSentence(input);
  const { axis, isOver, now = judged.at } = input;
  const soFar = isOver ? "" : "So far, ";
  const age = now > judged.at ? `, ${amount(axis, now - judged.at)} ${isOver ? "before the last" : "ago"},` : "";
  const place = `${placeText(axis, judged.at)}${age}`;
  const at = judged.bySpeed ? `${soFar}all have solved the task at ${place.replace(/,$/, "")}` : `${soFar}at ${place}`;
  const found = judged.bySpeed ? speedText(input, judged) : levelText(input, judged);
  return capital(`${at}${judged.bySpeed ? "; " : " "}${found} ${conclusion(input, judged)}`);
}

function nothingSentence({ combinations, isOver, measure, axis }: RaceInput): string {
  const measured = combinations.filter(({ curves }) => curves.some(({ xs }) => xs.length > 0));
  const without = combinations.filter((each) => !measured.includes(each)).map(({ id }) => id);
  const isStarted = combinations.every(({ curves }) => curves.some(({ xs }) => xs.some((place) => place > 0)));
  if (!isOver && !isStarted) return "Nothing to compare yet: all runs have to be measured after their start.";
  if (without.length > 0) return `Nothing can be compared: nothing was measured of ${listed(without)}.`;
  const what = measure.isEvaluated ? "evaluations" : measure.id === "reward" ? "rewards" : "values";
  const begin = isOver ? "Nothing can be compared" : "Nothing to compare yet";
  return `${begin}: the runs have no ${what} at equal ${AXES[axis].many} beyond their start.`;
}

/** Said where an interval is of one difference for each seed. */
const pairedText = (isPaired: boolean | undefined): string => (isPaired ? ", seeds paired" : "");

function levelText(input: RaceInput, { lead, standings }: RaceReading): string {
  const { measure } = input;
  const words = wordsOf(measure, standings);
  const { value } = words;
  const [first] = lead;
  const best = first!.best;
  const reached = (standing: Standing) => value(meanOf(standing.reached.values));
  if (lead.length === 1) {
    const { over } = first!;
    return `${nameOf(best)} has ${reached(best)} ${measure.reaches} and ${nameOf(over)} ${reached(over)}: ${leadText(first!, input, words)}.`;
  }
  // Of many the next ones say enough; the table has the others.
  const told = lead.length > MANY ? lead.slice(-NEXT) : lead;
  const gaps = told.map((each) => leadText(each, input, words));
  const next = told === lead ? "" : "among the nearest, ";
  return `${nameOf(best)} is highest with ${reached(best)} ${measure.reaches}: ${next}${listed(gaps)}.`;
}

/** "19 points more than A (95 % interval 8 to 30)". */
function leadText({ best, interval, over }: Lead, { isPaired }: RaceInput, { gap, gapText }: RaceWords): string {
  const size = `${gapText(meanOf(over.reached.values), meanOf(best.reached.values))} more than ${over.id}`;
  return interval ? `${size} (95 % interval ${gap(interval[0])} to ${gap(interval[1])}${pairedText(isPaired)})` : size;
}

function speedText({ axis, target, measure, isPaired }: RaceInput, { lead }: RaceReading): string {
  const best = lead[0]!.best;
  const to = wordsOf(measure).value(target ?? 0);
  if (lead.every(({ value }) => value === 0) && placesTo(best).every((place) => place === 0)) return `all had met ${to} at the start.`;
  if (lead.every(({ value }) => value === 0)) return `all were first at ${to} after ${amount(axis, meanOf(placesTo(best)))}.`;
  const gaps = lead.map((each) => {
    const { value, interval, over } = each;
    const sure = interval ? ` (95 % interval ${places(interval[0])} to ${places(interval[1])}${pairedText(isPaired)})` : "";
    return `${lead.length === 1 ? nameOf(over) : over.id} by ${amount(axis, value)}${sure}`;
  });
  return `${nameOf(best)} was first at ${to}, after ${amount(axis, meanOf(placesTo(best)))}, before ${listed(gaps)}.`;
}

/** Seeds of a race that do not count yet, because not all combinations have been measured with them. */
function outstanding({ combinations }: RaceInput, { seeds }: RaceReading): number {
  return Math.max(...combinations.map(({ curves }) => curves.length)) - seeds;
}

/** What one seed each cannot tell, and what would. */
function luckText(input: RaceInput, judged: RaceReading): string {
  const more = outstanding(input, judged);
  const what = more === 1 ? "one more seed" : `${more} more seeds`;
  if (more === 0) return "with one seed each this may be luck: race several seeds to compare the settings";
  if (!input.isOver) return `with one seed each so far this may be luck: ${what} will tell about the settings`;
  return `with one seed each this may be luck: ${what} did not come as far in every combination`;
}

function conclusion(input: RaceInput, judged: RaceReading): string {
  const { shows, seeds, bySpeed, lead } = judged;
  const best = lead[0]!.best.id;
  const others = lead.filter(({ apart }) => apart).map(({ over }) => over.id);
  const open = lead.filter(({ apart }) => !apart).map(({ over }) => over.id);
  const ahead = bySpeed ? "is faster than" : "reaches more than";
  if (shows === "a difference") {
    const rest = open.length > 0 ? `; its lead over ${listed(open)} may be chance` : "";
    return `Over ${seeds} seeds each, the ${input.called ?? "race"} shows that ${best} ${ahead} ${listed(others)}${rest}.`;
  }
  if (shows === "two runs differ") {
    const which = lead.length > 1 ? `The runs of ${best} and ${listed(others)} differ` : "These runs differ";
    return `${which}, but ${luckText(input, judged)}.`;
  }
  const chance = lead.every(({ value }) => value === 0) ? "" : `: ${lead.length > 1 ? "each lead" : "the lead"} may be chance`;
  const soFar = input.isOver || outstanding(input, judged) === 0 ? "" : " so far";
  const canTellApart = seeds === 1 || lead.some(({ interval }) => interval !== null);
  const least = canTellApart ? "" : ` ${bySpeed ? "Places" : "Rewards"} are told apart from ${LEAST_SEEDS} seeds each on.`;
  return `${seeds > 1 ? `Over ${seeds} seeds each` : "With one seed each"}${soFar}, the ${input.called ?? "race"} shows no difference${chance}.${least}`;
}

function nameOf({ id, label }: Standing): string {
  return `${id} (${label})`;
}

function placesTo({ targets }: Standing): readonly number[] {
  return targets.filter((place) => place !== null);
}

/** "12 steps". */
function amount(axis: Axis, count: number): string {
  return `${shortCount(count)} ${count === 1 ? AXES[axis].one : AXES[axis].many}`;
}

function places(count: number): string {
  return `${count < 0 ? "−" : ""}${shortCount(Math.abs(count))}`;
}

/** "A", "A and B", "A, B and C". */
export function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
