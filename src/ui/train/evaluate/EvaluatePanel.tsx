// What the phase Evaluate opens, at once: what is measured, when next, and what the last evaluations said.

import { counted, shareText } from "../../../protocol/quantities.ts";
import type { EvaluationRecord } from "../../../protocol/records.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import { metricLabel } from "../../kit/charts/index.ts";
import { Table } from "../../kit/lists/Table.tsx";
import { phaseDoes } from "../../kit/words/method.ts";
import { Term } from "../../kit/words/Term.tsx";
import { newestMeasured, nextEvaluation } from "../../step/group/runReadings.ts";
import "./evaluate.css";

const SHOWN = 8;
const HEADS = (["step", "sampled", "greedy"] as const).map((word) => (
  <Term key={word} id={word}>
    {word}
  </Term>
));

/** What is going on, or when the next evaluation is due. */
function useWhen(): string {
  const config = useRun((facts) => facts.config);
  const step = useRun((facts) => facts.step);
  const state = useRun((facts) => facts.state);
  const phase = useRun((facts) => facts.phase);
  if (!config) return "";
  if (state === "running" && phase?.phase === "evaluate" && phase.done < phase.total)
    return `Going on now: ${phase.done} of ${counted(phase.total, "answer")}.`;
  const next = nextEvaluation(config, step);
  if (next === null)
    return config.evalEvery === 0 ? "Switched off for this run: Evaluate every is 0." : "There is none to come in this run.";
  return `The next one is due after step ${next}.`;
}

function Row({ record, isQuick = false }: { readonly record: EvaluationRecord; readonly isQuick?: boolean }) {
  return (
    <tr>
      <th scope="row">
        {record.step}
        {isQuick && <span className="note"> · {counted(record.problems, "problem")}, asked by the clock</span>}
      </th>
      <td>{shareText(record.sampledAccuracy)}</td>
      <td>{shareText(record.greedyAccuracy)}</td>
    </tr>
  );
}

/** What the environments reported of the sampled conversations. */
function Figures({ metrics }: { readonly metrics: NonNullable<EvaluationRecord["metrics"]> }) {
  return (
    <dl className="figures evaluation-figures block" aria-label="Means over the sampled conversations">
      {Object.entries(metrics).map(([key, value]) => (
        <div key={key}>
          <dt>{metricLabel(key)}</dt>
          <dd>{formatNumber(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

export function EvaluatePanel() {
  const config = useRun((facts) => facts.config);
  const evaluations = useRun((facts) => facts.evaluations);
  const last = evaluations.at(-1);
  const newest = useRun(newestMeasured);
  const when = useWhen();
  if (!config) return null;
  return (
    <section className="group" aria-labelledby="group-title">
      <header className="panel-head flex items-center justify-between">
        <h2 id="group-title" className="large">
          Evaluate <span className="panel-note fine-print">{last ? `last after step ${last.step}` : "not yet"}</span>
        </h2>
      </header>
      <p className="group-explains aside">
        {phaseDoes("evaluate", config)}{" "}
        {last &&
          `${last.problems === 1 ? "One prompt" : `${last.problems} problems`}, ${counted(last.samplesPerProblem, "sample")} of each.`}{" "}
        {when}
      </p>
      {last && (
        <Table className="evaluations" frame={null} heads={HEADS}>
          {newest && newest !== last && <Row record={newest} isQuick />}
          {evaluations
            .slice(-SHOWN)
            .reverse()
            .map((record) => (
              <Row key={record.step} record={record} />
            ))}
        </Table>
      )}
      {last?.metrics && <Figures metrics={last.metrics} />}
    </section>
  );
}
