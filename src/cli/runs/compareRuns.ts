// Sets of runs judged against each other: by the page's own judge, at a place that all have reached.

import { resolve } from "node:path";
import { percent } from "../../export/writtenRun.ts";
import { asideKeys, changedFields, valueNamed } from "../../protocol/config/configFacts.ts";
import { combinationLetter } from "../../protocol/run/experimentPlan.ts";
import { meanOf } from "../../rl/advantage/statistics.ts";
import { AXES, type Reading, shortCount, USUAL_READING } from "../../rl/race/axis.ts";
import { isApart } from "../../rl/race/difference.ts";
import { measureNamed, measureRule } from "../../rl/race/measures.ts";
import { wordsOf } from "../../rl/race/raceWords.ts";
import { type JudgedRace, judgeRecorded, type RecordedCombination } from "../../rl/race/recordedRace.ts";
import { historyOf, lastEvaluation, type RunRecords } from "../../rl/verdict/history.ts";
import { withRewards } from "../folder/recordedRun.ts";
import { CommandError, type Facts } from "../lab/exit.ts";
import { columns } from "../lab/texts.ts";
import type { OptionValues, READING_OPTIONS } from "../lab/verb.ts";

/** Runs of one configuration, one for each seed. */
interface RunSet {
  readonly label: string;
  readonly runs: readonly RunRecords[];
}

/** Not told: how a run is computed, its seed, and the list of changes. */
const ASIDE: ReadonlySet<string> = new Set([...asideKeys, "seed", "changes", "backend"]);

function combinationOf({ label, runs }: RunSet, place: number): RecordedCombination {
  const histories = runs.map((run) => historyOf(withRewards(run)));
  return { id: combinationLetter(place), label, config: runs[0]?.config ?? null, runs: histories };
}

/** The reading that these options ask for. Throws a CommandError where no measure is named so. */
export function readingOf({ measure, target, paired }: OptionValues<typeof READING_OPTIONS>): Reading {
  if (measure !== undefined && measureNamed(measure) === null) throw new CommandError(`--measure ${measureRule(measure)}`);
  const value = target === undefined || target.trim() === "" ? Number.NaN : Number(target);
  if (target !== undefined && !Number.isFinite(value)) throw new CommandError(`--target must be a number, got ${JSON.stringify(target)}`);
  return { ...USUAL_READING, measure: measure ?? null, target: target === undefined ? null : value, isPaired: paired === true };
}

/** Settings in which the sets differ, with each one's value. */
function differences(sets: readonly RunSet[]): readonly { readonly field: string; readonly values: readonly unknown[] }[] {
  const [first] = sets.map(({ runs }) => runs[0]?.config);
  const names = new Set(sets.flatMap(({ runs }) => (first && runs[0] ? changedFields(first, runs[0].config) : [])));
  return [...names]
    .filter((name) => !ASIDE.has(name))
    .map((field) => ({ field, values: sets.map(({ runs: [run] }) => run && valueNamed(run.config, field)) }));
}

/** Where a set ended, which may be after the place of the comparison. */
interface End {
  readonly id: string;
  /** The last step of its longest run. */
  readonly step: number;
  /** Mean share of right sampled answers where its runs were last evaluated; null without an evaluation. */
  readonly accuracy: number | null;
}

function endOf({ runs }: RunSet, place: number): End {
  const accuracies = runs.flatMap((run) => lastEvaluation(run)?.sampledAccuracy ?? []);
  return {
    id: combinationLetter(place),
    step: Math.max(0, ...runs.map(({ steps }) => steps.at(-1)?.step ?? 0)),
    accuracy: accuracies.length === 0 ? null : meanOf(accuracies),
  };
}

/** Said where one set went on after the others had ended; null where all ended at one step. */
function endSentence(ends: readonly End[], differing: readonly { readonly field: string }[]): string | null {
  if (new Set(ends.map(({ step }) => step)).size === 1) return null;
  const each = ends.map(({ id, step, accuracy }) => `${id} at step ${step}${accuracy === null ? "" : ` with ${percent(accuracy)} right`}`);
  const alone = differing.every(({ field }) => field === "steps");
  return `They did not end at one step: ${each.join(", ")}.${alone ? " They differ in their steps alone: up to the shorter end they are the same runs." : ""}`;
}

/** Throws where one run stands on both sides, however its path was written. */
export function refuseSame([one, other]: readonly RunSet[]): void {
  if (!one || !other || resolve(one.label) !== resolve(other.label)) return;
  throw new CommandError(`compare needs two runs, got ${one.label} twice: rollout-lab list shows those there are`);
}

/**
 * What a comparison says, for programs and for people. Throws a CommandError where the sets have other tasks, or
 * nothing of the measure.
 */
export function compareSets(
  sets: readonly RunSet[],
  reading: Reading,
  called: "race" | "sweep" = "race",
): { readonly facts: Facts; readonly text: string } {
  const tasks = [...new Set(sets.flatMap(({ runs }) => runs.map(({ config }) => config.task)))];
  if (tasks.length > 1) throw new CommandError(`runs are compared on one task, got ${tasks.join(" and ")}`);
  const race = judgeRecorded(sets.map(combinationOf), reading, true, called);
  if (reading.measure !== null && race.standings.length === 0)
    throw new CommandError(
      `nothing was measured of ${reading.measure}: these runs have ${race.measures.map(({ id }) => id).join(", ") || "no measure"}`,
    );
  const differing = differences(sets);
  const ends = sets.map(endOf);
  const after = endSentence(ends, differing);
  const { value, gap, gapText } = wordsOf(race.measure, race.standings);
  const first = meanOf(race.standings[0]?.reached.values ?? []);
  const rows = [
    ["", "", ...differing.map(({ field }) => field), race.measure.title.toLowerCase(), "to A"],
    ...race.standings.map(({ id, label, reached, toFirst }) => {
      const place = sets.findIndex((_, i) => combinationLetter(i) === id);
      const apart = toFirst
        ? `${gapText(first, meanOf(reached.values))} (${gap(toFirst.low)} to ${gap(toFirst.high)})${isApart(toFirst) ? " *" : ""}`
        : "";
      return [
        id,
        label,
        ...differing.map(({ values }) => JSON.stringify(values[place]) ?? "-"),
        reached.values.map(value).join(", "),
        apart,
      ];
    }),
  ];
  const unpaired = reading.isPaired && !race.canPair ? ["The seeds are not paired: that takes several seeds, the same for all."] : [];
  const sentences = [race.sentence, ...targetSentence(race, reading), ...unpaired, ...(after === null ? [] : [after])];
  return { facts: { ...factsOf(race, reading, differing), ends, after }, text: `${sentences.join(" ")}\n${columns(rows)}` };
}

/** When a target that somebody asked for was met. */
function targetSentence({ standings, target, measure }: JudgedRace, { target: asked, axis }: Reading): readonly string[] {
  if (asked === null || target === null) return [];
  const each = standings.map(({ id, targets }) => {
    const met = targets.filter((place) => place !== null);
    if (met.length === 0) return `${id} did not meet it`;
    const where = met.every((place) => place === 0) ? "at the start" : `after ${met.map(shortCount).join(", ")} ${AXES[axis].many}`;
    return `${id} met it ${where}${met.length < targets.length ? ` with ${met.length} of ${targets.length} seeds` : ""}`;
  });
  return [`Of ${wordsOf(measure).value(target)} asked for: ${each.join(", ")}.`];
}

function factsOf(race: JudgedRace, { axis }: Reading, differing: unknown): Facts {
  const { shows, sentence, measure, measures, target, at, seeds, isPaired, rewardsDiffer } = race;
  const runs = race.standings.map(({ id, label, reached, targets, toFirst, asked }) => ({
    id,
    label,
    reached: reached.values,
    answers: reached.trials,
    asked,
    stepsToTarget: targets,
    toFirst,
  }));
  return {
    shows,
    sentence,
    measure: measure.id,
    measures: measures.map(({ id }) => id),
    axis,
    at,
    seeds,
    paired: isPaired,
    target,
    rewardsDiffer,
    differing,
    runs,
  };
}
