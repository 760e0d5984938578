// The combinations in a table: how each line is drawn and what differs, what each reached where all are compared, how far it is from
// the first, when it was at the target, what that cost, how its own runs went, and a way into each of them.

import type { ReactNode } from "react";
import { capital, counted } from "../../../protocol/quantities.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { AXES, type Axis, shortCount } from "../../../rl/race/axis.ts";
import { isApart, reachedInterval } from "../../../rl/race/difference.ts";
import type { Standing } from "../../../rl/race/race.ts";
import { type RaceWords, wordsOf } from "../../../rl/race/raceWords.ts";
import type { JudgedRace } from "../../../rl/race/recordedRace.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { Explained } from "../../kit/words/Term.tsx";
import { differingSettings } from "../charts/curves.ts";
import { useSetup } from "../plan/setup.ts";
import { type Combination, type ExperimentRun, experimentVersion, isAllOver } from "../run/experiments.ts";
import type { Shape } from "../shapes/shape.ts";
import { CostCell, NameCell, OpenCell, VerdictCell } from "./Cells.tsx";
import { comparedAt } from "./Reading.tsx";

interface CellProps {
  readonly standing: Standing | undefined;
  readonly words: RaceWords;
}

/** What a combination reached: the mean with its interval, and with several seeds each of them. */
function ReachedCell({ standing, words: { value } }: CellProps) {
  if (!standing) return <>–</>;
  const { asked } = standing;
  const { values } = standing.reached;
  const interval = reachedInterval(standing.reached);
  return (
    <>
      <b>{value(meanOf(values))}</b>
      {interval && (
        <span className="race-note aside">
          {value(interval[0])} to {value(interval[1])}
        </span>
      )}
      {values.length > 1 && <span className="race-note aside">{values.map(value).join(" · ")}</span>}
      {asked !== null && (
        <span className="race-note aside">
          of {asked}
          {values.length > 1 ? " each" : ""}
        </span>
      )}
    </>
  );
}

/** How far a combination is from the first one. */
function DifferenceCell({ standing, first, words: { gap, gapText } }: CellProps & { readonly first: Standing | undefined }) {
  if (!standing?.toFirst || !first) return <>–</>;
  const { toFirst } = standing;
  const apart = isApart(toFirst);
  const direction = !apart ? "" : toFirst.value > 0 ? "push-up" : "push-down";
  return (
    <>
      <span className={`race-gap ${direction}`}>
        {apart && <span aria-hidden="true">{toFirst.value > 0 ? "▲ " : "▼ "}</span>}
        {toFirst.value > 0 && "+"}
        {gapText(meanOf(first.reached.values), meanOf(standing.reached.values))}
      </span>
      <span className="race-note aside">
        {gap(toFirst.low)} to {gap(toFirst.high)}
        {!apart && ": may be chance"}
      </span>
    </>
  );
}

function TargetCell({ standing, isOver }: { readonly standing: Standing | undefined; readonly isOver: boolean }) {
  if (!standing) return <>–</>;
  const reached = standing.targets.filter((place) => place !== null).sort((a, b) => a - b);
  const of = standing.targets.length;
  if (reached.length === 0) return <span className="race-note aside">{isOver ? "not reached" : "not yet"}</span>;
  const [first] = reached;
  if (first === 0 && reached.every((place) => place === 0))
    return (
      <span className="race-note">
        <b>0</b>: met at the start
      </span>
    );
  return (
    <>
      <b>{shortCount(meanOf(reached))}</b>
      {reached.length > 1 && <span className="race-note aside">{reached.map(shortCount).join(" · ")}</span>}
      {reached.length < of && (
        <span className="race-note aside">
          {reached.length} of {counted(of, "seed")}
        </span>
      )}
    </>
  );
}

interface Column {
  readonly title: string;
  /** On hover and focus of the title. */
  readonly explains?: string;
  readonly cell: (combination: Combination, standing: Standing | undefined) => ReactNode;
}

interface ResultTableProps {
  readonly combinations: readonly Combination[];
  readonly shape: Shape;
  readonly result: JudgedRace;
  /** Whether the experiment was ended where it stood. */
  readonly isStopped: boolean;
  readonly onOpen: (run: ExperimentRun) => void;
}

/** What stands beside each name. */
function columnsOf({ combinations, shape, result, onOpen }: ResultTableProps, axis: Axis): readonly Column[] {
  const { measure, standings } = result;
  const words = wordsOf(measure, standings);
  const { combination: one, what } = shape.words;
  const isOver = isAllOver(combinations);
  const isReplay = !shape.keepsRollouts;
  const hasSeeds = combinations.some(({ runs }) => runs.length > 1);
  const target: Column = {
    title: `${AXES[axis].title} to ${result.target === null ? "" : wordsOf(measure).value(result.target)}`,
    explains: "Where a run was first measured at this value: the mean over the seeds that reached it, then each seed.",
    cell: (_, standing) => <TargetCell standing={standing} isOver={isOver} />,
  };
  const seeds: Column = {
    title: "Seeds",
    explains: "How many of the planned runs have reached the point of comparison.",
    cell: ({ runs }, standing) => (
      <span className="race-note">
        {standing ? result.seeds : 0} of {runs.length}
      </span>
    ),
  };
  return [
    {
      title: `${measure.title} ${comparedAt(result, axis)}`.trim(),
      explains: `${measure.explains} The interval holds the true mean in 95 % of cases.`,
      cell: (_, standing) => <ReachedCell standing={standing} words={words} />,
    },
    ...(hasSeeds ? [seeds] : []),
    {
      title: `Against ${combinations[0]?.id ?? "A"}`,
      explains: `Difference to the first ${one}, with an interval that holds the true one in 95 % of ${what}s, all pairs together; ${result.isPaired ? "seeds are paired" : "seeds are taken for independent"}.`,
      cell: (_, standing) => <DifferenceCell standing={standing} first={standings[0]} words={words} />,
    },
    ...(result.target === null ? [] : [target]),
    {
      title: isOver ? "Cost" : "Cost so far",
      explains: `What the runs of the ${one} have taken${isOver ? "" : " so far"}, each: updates, tokens and time of its steps.`,
      cell: (combination) => <CostCell combination={combination} />,
    },
    {
      title: "Course",
      explains: "The verdict on each run alone, over all its steps.",
      cell: (combination) => <VerdictCell combination={combination} />,
    },
    {
      title: isReplay ? "Replay by seed" : hasSeeds ? "Rollouts by seed" : "Rollouts",
      cell: (combination) => <OpenCell combination={combination} isReplay={isReplay} onOpen={onOpen} />,
    },
  ];
}

export function ResultTable(props: ResultTableProps) {
  useVersion(experimentVersion);
  const { combinations, shape, result, isStopped } = props;
  const columns = columnsOf(
    props,
    useSetup(shape.screen, (setup) => setup.axis),
  );
  const { combination: one, combinations: many } = shape.words;
  const settings = differingSettings(combinations);
  const named = { count: combinations.length, settings, trunk: combinations[0]!, isStopped };
  return (
    <table className="race-table">
      <caption className="visually-hidden">{capital(many)}, the settings in which they differ, and what they reached</caption>
      <thead className="aside">
        <tr>
          <th scope="col">{capital(one)}</th>
          {columns.map(({ title, explains }) => (
            <th key={title} scope="col">
              {explains ? <Explained text={explains}>{title}</Explained> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {combinations.map((combination, place) => {
          const standing = result.standings.find(({ id }) => id === combination.id);
          return (
            <tr key={combination.id}>
              <th scope="row">
                <NameCell combination={combination} place={place} {...named} />
              </th>
              {columns.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(combination, standing)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
