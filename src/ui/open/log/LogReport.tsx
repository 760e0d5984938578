// What was read of a log and what is said of it: verdict, causes, curves, what it cannot decide, and which name was taken for what.
import { useMemo } from "react";
import { counted } from "../../../protocol/quantities.ts";
import type { LogReading } from "../../../rl/logs/judgeLog.ts";
import { partNames } from "../../../rl/logs/logEvidence.ts";
import type { ReadLog } from "../../../rl/logs/readLog.ts";
import { MetricChart } from "../../kit/charts/MetricChart.tsx";
import { Fold } from "../../kit/controls/Fold.tsx";
import { Table } from "../../kit/lists/Table.tsx";
import { Verdict } from "../../kit/verdict/Verdict.tsx";
import { LogNamed } from "./LogNamed.tsx";
import { logCharts } from "./logCharts.ts";

function WhatWasRead({ log: { rows, each, hasSteps, forms, program, mark, lines, settings } }: { readonly log: ReadLog }) {
  const steps = `${counted(rows.length, "step")}${hasSteps ? `, ${rows[0]?.step} to ${rows.at(-1)?.step}` : ", which the log does not number"}`;
  const left =
    lines.ignored === 0 ? "Every line was read." : `${lines.ignored} of ${counted(lines.of, "line")} hold no numbers and were left out.`;
  return (
    <div role="status" className="stack">
      <p>
        Read: {steps}, from {forms.join(" and ")}. {each > 1 && `Each is the mean of ${each} logged steps. `}
        {mark ? (
          <>
            The names are those of {program.title}, told by <code>{mark}</code>.
          </>
        ) : (
          <>Nothing tells whose names these are; they are taken for those of {program.title}.</>
        )}{" "}
        {lines.of > 0 && left}
      </p>
      {settings.length > 0 && <p className="fine-print">Settings: {settings.map(({ from, value }) => `${from} ${value}`).join(", ")}.</p>}
    </div>
  );
}

function Curves({ reading: { evidence } }: { readonly reading: LogReading }) {
  const charts = useMemo(() => logCharts(evidence, partNames(evidence.log)), [evidence]);
  return (
    <section aria-labelledby="log-curves">
      <h2 id="log-curves">Its curves</h2>
      <div className="log-curves">
        {charts.map(({ spec, series }) => (
          <MetricChart key={spec.id} spec={spec} series={series} levels={[]} height={170} />
        ))}
      </div>
    </section>
  );
}

function UndecidedList({ reading: { undecided, evidence } }: { readonly reading: LogReading }) {
  if (undecided.length === 0) return null;
  const unknown = evidence.config.groupSize === undefined;
  return (
    <Fold title="What the log cannot decide" note={counted(undecided.length, "cause")} className="cause" panelClassName="cause-panel">
      <p>These causes are neither named nor ruled out, since the log lacks a number that they are known by.</p>
      <dl className="log-undecided">
        {undecided.map(({ id, title, missing }) => (
          <div key={id}>
            <dt>{title}</dt>
            <dd>needs {missing.join(", ")}</dd>
          </div>
        ))}
      </dl>
      {unknown && (
        <p className="fine-print">
          A setting that the log does not tell can stand in it as a line of its own, such as <code>num_generations: 8</code> or{" "}
          <code>prompts_per_step: 16</code>.
        </p>
      )}
    </Fold>
  );
}

function Names({ log: { names, program } }: { readonly log: ReadLog }) {
  const used = names.filter(({ to }) => to !== null);
  const left = names.filter(({ to }) => to === null);
  return (
    <Fold title="Which name was taken for what" note={`${used.length} of ${names.length}`} className="cause" panelClassName="cause-panel">
      <Table className="log-names" caption={`Names of ${program.title} and of this lab`} heads={["In the log", "Here", "Steps", "Note"]}>
        {used.map(({ from, to, count, unknown, says }) => (
          <tr key={from}>
            <td>
              <code>{from}</code>
            </td>
            <td>{from === to ? "the same" : <code>{to}</code>}</td>
            <td>{unknown > 0 ? `${count}, and ${unknown} without a number` : count}</td>
            <td>{says}</td>
          </tr>
        ))}
      </Table>
      {left.length > 0 && (
        <p className="fine-print">Not used: {left.map(({ from, says }) => (says ? `${from} (${says})` : from)).join(", ")}.</p>
      )}
    </Fold>
  );
}

export function LogReport({ reading }: { readonly reading: LogReading }) {
  const { verdict, evidence } = reading;
  const { log } = evidence;
  return (
    <>
      <WhatWasRead log={log} />
      {verdict ? (
        <p>
          <Verdict result={verdict} /> {verdict.sentence}
        </p>
      ) : (
        <p>It has neither a reward nor a loss, so there is nothing to judge.</p>
      )}
      <LogNamed reading={reading} />
      <Curves reading={reading} />
      <div className="causes flex flex-wrap">
        <UndecidedList reading={reading} />
        <Names log={log} />
      </div>
    </>
  );
}
