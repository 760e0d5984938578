// Sets of runs judged against each other: by the page's own judge, at a place that all have reached.

import { resolve } from "node:path";
import { percent } from "../../export/writtenRun.ts";
import { asideKeys, changedFields } from "../../protocol/config/configFacts.ts";
import { combinationLetter } from "../../protocol/run/experimentPlan.ts";
import { meanOf } from "../../rl/advantage/statistics.ts";
import type { Axis } from "../../rl/race/axis.ts";
import { isApart } from "../../rl/race/difference.ts";
import { MEASURE_WORDS } from "../../rl/race/raceSentence.ts";
import { type JudgedRace, judgeRecorded, type RecordedRacer } from "../../rl/race/recordedRace.ts";
import { historyOf, lastEvaluation, type RunRecords } from "../../rl/verdict/history.ts";
import { CommandError, type Facts } from "../lab/exit.ts";
import { columns } from "../lab/texts.ts";

/** Runs of one configuration, one for each seed. */
export interface RunSet {
  readonly label: string;
  readonly runs: readonly RunRecords[];
}

/** Not told: how a run is computed, its seed, and the list of changes. */
const ASIDE: ReadonlySet<string> = new Set([...asideKeys, "seed", "changes", "backend"]);

function racerOf({ label, runs }: RunSet, place: number): RecordedRacer {
  return { id: combinationLetter(place), label, config: runs[0]?.config ?? null, runs: runs.map(historyOf) };
}

function valueOfField(run: RunRecords | undefined, name: string): unknown {
  const [record = "", ...rest] = name.split(".");
  const value = (run?.config as Readonly<Record<string, unknown>> | undefined)?.[record];
  return rest.length === 0 ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[rest.join(".")];
}

/** Settings in which the sets differ, with each one's value. */
function differences(sets: readonly RunSet[]): readonly { readonly field: string; readonly values: readonly unknown[] }[] {
  const [first] = sets.map(({ runs }) => runs[0]?.config);
  const names = new Set(sets.flatMap(({ runs }) => (first && runs[0] ? changedFields(first, runs[0].config) : [])));
  return [...names]
    .filter((name) => !ASIDE.has(name))
    .map((field) => ({ field, values: sets.map(({ runs }) => valueOfField(runs[0], field)) }));
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

/** What a comparison says, for programs and for people. Throws a CommandError where the sets have other tasks. */
export function compareSets(
  sets: readonly RunSet[],
  axis: Axis,
  called: "race" | "sweep" = "race",
): { readonly facts: Facts; readonly text: string } {
  const tasks = [...new Set(sets.flatMap(({ runs }) => runs.map(({ config }) => config.task)))];
  if (tasks.length > 1) throw new CommandError(`runs are compared on one task, got ${tasks.join(" and ")}`);
  const race = judgeRecorded(sets.map(racerOf), axis, null, true, called);
  const differing = differences(sets);
  const ends = sets.map(endOf);
  const after = endSentence(ends, differing);
  const rows = [
    ["", "", ...differing.map(({ field }) => field), "reached", "to A"],
    ...race.standings.map(({ id, label, reached, toFirst }) => {
      const place = sets.findIndex((_, i) => combinationLetter(i) === id);
      const { value, gap, gapText } = MEASURE_WORDS[race.measure];
      const apart = toFirst ? `${gapText(toFirst.value)} (${gap(toFirst.low)} to ${gap(toFirst.high)})${isApart(toFirst) ? " *" : ""}` : "";
      return [
        id,
        label,
        ...differing.map(({ values }) => JSON.stringify(values[place]) ?? "-"),
        reached.values.map(value).join(", "),
        apart,
      ];
    }),
  ];
  const sentences = [race.sentence, ...(after === null ? [] : [after])];
  return { facts: { ...factsOf(race, axis, differing), ends, after }, text: `${sentences.join(" ")}\n${columns(rows)}` };
}

function factsOf(
  { shows, sentence, measure, target, at, seeds, standings, rewardsDiffer }: JudgedRace,
  axis: Axis,
  differing: unknown,
): Facts {
  const runs = standings.map(({ id, label, reached, targets, toFirst }) => ({
    id,
    label,
    reached: reached.values,
    answers: reached.trials,
    stepsToTarget: targets,
    toFirst,
  }));
  return { shows, sentence, measure, axis, at, seeds, target, rewardsDiffer, differing, runs };
}
