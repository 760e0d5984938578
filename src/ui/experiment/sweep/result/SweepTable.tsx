// The combinations of a sweep in a table: what each reached where all are compared, with its interval and its seeds, how far it is from
// the first, how its runs went, and a way into each of them.
import { measureText, shareText } from "../../../../protocol/quantities.ts";
import { meanOf } from "../../../../rl/advantage/statistics.ts";
import { reachedInterval } from "../../../../rl/race/difference.ts";
import type { Measure, Standing } from "../../../../rl/race/race.ts";
import type { JudgedRace } from "../../../../rl/race/recordedRace.ts";
import { goTo } from "../../../engine/route.ts";
import { replayRun } from "../../../engine/saves/saveActions.ts";
import { useVersion } from "../../../engine/store/metricSeries.ts";
import { Button } from "../../../kit/controls/Button.tsx";
import { Explained } from "../../../kit/words/Term.tsx";
import { comparedAt } from "../../compare/RaceHead.tsx";
import { type Racer, runOf } from "../../compare/raceStore.ts";
import { VerdictCell } from "../../compare/result/RacerCells.tsx";
import { DifferenceCell } from "../../compare/result/RaceTable.tsx";
import { sweepVersion } from "../sweepStore.ts";
import { runState, stateOfRun } from "./sweepTexts.ts";

const REACHED: Readonly<Record<Measure, string>> = { greedy: "Right, held-out", sampled: "Right, sampled", reward: "Reward" };
const valueText = (measure: Measure, value: number) => (measure === "reward" ? measureText(value) : shareText(value));

function MeanCell({ standing, measure }: { readonly standing: Standing | undefined; readonly measure: Measure }) {
  if (!standing) return <>–</>;
  const interval = reachedInterval(standing.reached);
  return (
    <>
      <b>{valueText(measure, meanOf(standing.reached.values))}</b>
      {interval && (
        <span className="race-note aside">
          {valueText(measure, interval[0])} to {valueText(measure, interval[1])}
        </span>
      )}
    </>
  );
}

/** Equal states are told once. */
function StatesCell({ racer: { runs } }: { readonly racer: Racer }) {
  const seeds = new Map<string, number[]>();
  for (const run of runs) seeds.set(runState(run), [...(seeds.get(runState(run)) ?? []), run.seed]);
  return [...seeds].map(([text, of]) => (
    <span key={text} className="race-note race-state aside">
      {runs.length > 1 && (of.length === runs.length ? `${of.length} seeds: ` : `seed ${of.join(", ")}: `)}
      {text}
    </span>
  ));
}

function open(runId: string): void {
  goTo("rollouts");
  replayRun(runId);
}

function OpenCell({ racer: { id, runs } }: { readonly racer: Racer }) {
  return (
    <span className="race-open">
      {runs.map((run) => (
        <Button
          key={run.id}
          className="race-open-one"
          label={`Replay the run of ${id}, seed ${run.seed}`}
          isDisabled={runOf(run).step === 0 || stateOfRun(run) === "running" || stateOfRun(run) === "being prepared"}
          onPress={() => open(run.id)}
        >
          {run.seed}
        </Button>
      ))}
    </span>
  );
}

interface SweepTableProps {
  readonly racers: readonly Racer[];
  readonly result: JudgedRace;
}

export function SweepTable({ racers, result }: SweepTableProps) {
  useVersion(sweepVersion);
  const { measure } = result;
  const columns = [
    {
      title: `${REACHED[measure]} ${comparedAt(result, "steps")}`.trim(),
      explains: "Mean of the seeds where all are compared, with the interval that holds the true mean in 95 % of cases.",
    },
    { title: "Seeds", explains: "Runs that have come as far as the place of the comparison, of all that were planned." },
    {
      title: "Against A",
      explains: "Difference to the first combination, with an interval that holds the true one in 95 % of sweeps, all pairs together.",
    },
    { title: "Course", explains: "How each run went by itself, over all its own steps." },
    { title: "State" },
    { title: "Replay by seed" },
  ];
  const cells = (racer: Racer) => {
    const standing = result.standings.find(({ id }) => id === racer.id);
    return [
      <MeanCell key="mean" standing={standing} measure={measure} />,
      `${standing ? result.seeds : 0} of ${racer.runs.length}`,
      <DifferenceCell key="gap" standing={standing} measure={measure} />,
      <VerdictCell key="course" racer={racer} />,
      <StatesCell key="state" racer={racer} />,
      <OpenCell key="open" racer={racer} />,
    ];
  };
  return (
    <table className="race-table sweep-table">
      <caption className="visually-hidden">Combinations, what they reached and how their runs went</caption>
      <thead className="aside">
        <tr>
          <th scope="col">Combination</th>
          {columns.map(({ title, explains }) => (
            <th key={title} scope="col">
              {explains ? <Explained text={explains}>{title}</Explained> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {racers.map((racer) => (
          <tr key={racer.id}>
            <th scope="row">
              <span className="race-name">
                {racer.id} {racer.label}
              </span>
            </th>
            {cells(racer).map((cell, i) => (
              <td key={columns[i]!.title} data-title={columns[i]!.title}>
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
