// The racers in a table: how each line is drawn and what differs, what each reached where all are compared,
// how far it is from the first, when it was at the target, what that cost, and how its own runs went.

import type { ReactNode } from "react";
import { counted, shareText } from "../../../../protocol/quantities.ts";
import { meanOf } from "../../../../rl/advantage/statistics.ts";
import { AXES, type Axis, shortCount } from "../../../../rl/race/axis.ts";
import { isApart } from "../../../../rl/race/difference.ts";
import type { Measure, Standing } from "../../../../rl/race/race.ts";
import { MEASURE_WORDS } from "../../../../rl/race/raceSentence.ts";
import type { JudgedRace } from "../../../../rl/race/recordedRace.ts";
import { useVersion } from "../../../engine/store/metricSeries.ts";
import { Explained } from "../../../kit/words/Term.tsx";
import { comparedAt } from "../RaceHead.tsx";
import { isRaceOver, type Racer, raceVersion } from "../raceStore.ts";
import { useRaceSetup } from "../setup/raceSetup.ts";
import { CostCell, OpenCell, RacerCell, VerdictCell } from "./RacerCells.tsx";
import { differingSettings } from "./raceSeries.ts";

const MEASURES: Readonly<Record<Measure, { readonly title: string; readonly explains: string }>> = {
  greedy: { title: "Right, held-out", explains: "Share of held-out problems answered right when each token is the likeliest one." },
  sampled: {
    title: "Right, sampled",
    explains: "Share of right answers among those sampled. The task has one problem only, so its greedy answer is either right or wrong.",
  },
  reward: { title: "Reward", explains: "Mean reward in training over the last ten steps: without evaluations there is nothing better." },
};

/** What a racer reached: the mean, and with several seeds each of them. */
function ReachedCell({ standing, measure }: { readonly standing: Standing | undefined; readonly measure: Measure }) {
  if (!standing) return <>–</>;
  const { value } = MEASURE_WORDS[measure];
  const { values, trials } = standing.reached;
  return (
    <>
      <b>{value(meanOf(values))}</b>
      {values.length > 1 && <span className="race-note aside">{values.map(value).join(" · ")}</span>}
      {trials !== null && (
        <span className="race-note aside">
          of {trials}
          {values.length > 1 ? " each" : ""}
        </span>
      )}
    </>
  );
}

/** How far a racer is from the first one. */
export function DifferenceCell({ standing, measure }: { readonly standing: Standing | undefined; readonly measure: Measure }) {
  if (!standing?.toFirst) return <>–</>;
  const { gap, gapText } = MEASURE_WORDS[measure];
  const { toFirst } = standing;
  const apart = isApart(toFirst);
  const direction = !apart ? "" : toFirst.value > 0 ? "push-up" : "push-down";
  return (
    <>
      <span className={`race-gap ${direction}`}>
        {apart && <span aria-hidden="true">{toFirst.value > 0 ? "▲ " : "▼ "}</span>}
        {toFirst.value > 0 && "+"}
        {gapText(toFirst.value)}
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
  readonly cell: (racer: Racer, standing: Standing | undefined) => ReactNode;
}

interface RaceTableProps {
  readonly racers: readonly Racer[];
  readonly result: JudgedRace;
  readonly onOpen: (run: string) => void;
}

/** What stands beside each racer's name. */
function columnsOf({ racers, result, onOpen }: RaceTableProps, axis: Axis): readonly Column[] {
  const { measure } = result;
  const isOver = isRaceOver(racers);
  const target = measure === "reward" ? String(result.target) : shareText(result.target);
  return [
    {
      title: `${MEASURES[measure].title} ${comparedAt(result, axis)}`.trim(),
      explains: MEASURES[measure].explains,
      cell: (_, standing) => <ReachedCell standing={standing} measure={measure} />,
    },
    {
      title: `Against ${racers[0]?.id ?? "A"}`,
      explains: "Difference to the first racer, with an interval that holds the true one in 95 % of races, all pairs together.",
      cell: (_, standing) => <DifferenceCell standing={standing} measure={measure} />,
    },
    {
      title: `${AXES[axis].title} to ${target}`,
      explains: "Where it was first measured at this value: the mean of the seeds that got there, and each of them.",
      cell: (_, standing) => <TargetCell standing={standing} isOver={isOver} />,
    },
    {
      title: isOver ? "Cost" : "Cost so far",
      explains: `What the runs of the racer have taken${isOver ? "" : " so far"}, each: updates, tokens and time of its steps.`,
      cell: (racer) => <CostCell racer={racer} />,
    },
    { title: "Course", explains: "How each run went by itself, over all its own steps.", cell: (racer) => <VerdictCell racer={racer} /> },
    {
      title: racers.some(({ runs }) => runs.length > 1) ? "Rollouts by seed" : "Rollouts",
      cell: (racer) => <OpenCell racer={racer} onOpen={onOpen} />,
    },
  ];
}

export function RaceTable(props: RaceTableProps) {
  useVersion(raceVersion);
  const { racers, result } = props;
  const columns = columnsOf(
    props,
    useRaceSetup((setup) => setup.axis),
  );
  const settings = differingSettings(racers);
  return (
    <table className="race-table">
      <caption className="visually-hidden">Racers, the settings in which they differ, and what they reached</caption>
      <thead className="aside">
        <tr>
          <th scope="col">Racer</th>
          {columns.map(({ title, explains }) => (
            <th key={title} scope="col">
              {explains ? <Explained text={explains}>{title}</Explained> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {racers.map((racer, place) => {
          const standing = result.standings.find(({ id }) => id === racer.id);
          return (
            <tr key={racer.id}>
              <th scope="row">
                <RacerCell racer={racer} place={place} settings={settings} trunk={racers[0]!} />
              </th>
              {columns.map(({ title, cell }) => (
                <td key={title} data-title={title}>
                  {cell(racer, standing)}
                </td>
              ))}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
