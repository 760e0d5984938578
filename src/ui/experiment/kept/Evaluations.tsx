// The last evaluation of each kept run, with the interval of every share.
import { measureText, shareText } from "../../../protocol/quantities.ts";
import { lastEvaluation } from "../../../rl/verdict/history.ts";
import { Table } from "../../kit/lists/Table.tsx";
import type { KeptRun } from "./keptCombinations.ts";

export interface LetteredRun extends KeptRun {
  /** Of its combination. */
  readonly letter: string;
}

const HEADS = ["Run", "Seed", "Step", "Problems", "Likeliest answers right", "Sampled answers right", "Mean reward"];

const within = ([low, high]: readonly [number, number]) => `${shareText(low)} to ${shareText(high)}`;

export function Evaluations({ runs }: { readonly runs: readonly LetteredRun[] }) {
  const rows = runs.map((run) => ({ ...run, last: lastEvaluation(run.records) }));
  if (rows.every(({ last }) => last === undefined)) return null;
  return (
    <section className="stack" aria-label="Evaluations">
      <h2>Last evaluation of each</h2>
      <Table className="kept-table" headClassName="aside" region="Evaluations of each" heads={HEADS}>
        {rows.map(({ runId, letter, name, last, records }) => (
          <tr key={runId}>
            <th scope="row">
              {letter} {name}
            </th>
            <td>{records.config.seed}</td>
            {last ? (
              <>
                <td>{last.step}</td>
                <td>{last.problems}</td>
                <td>
                  {shareText(last.greedyAccuracy)} <span className="aside">{within(last.greedyInterval)}</span>
                </td>
                <td>
                  {shareText(last.sampledAccuracy)} <span className="aside">{within(last.sampledInterval)}</span>
                </td>
                <td>{last.meanReward === null ? "–" : measureText(last.meanReward)}</td>
              </>
            ) : (
              <td colSpan={5}>was not evaluated</td>
            )}
          </tr>
        ))}
      </Table>
      <p className="fine-print">Beside each share is its interval, which holds the true share in 95 % of evaluations.</p>
    </section>
  );
}
