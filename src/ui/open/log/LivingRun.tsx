// A living copy: a small run here that shows what was named of the log, its curves beside the log's, judged by the same functions.
import { useState } from "react";
import { errorText } from "../../../protocol/problems.ts";
import { judgeRecords, type LogReading, type Named, saysTheSame } from "../../../rl/logs/judgeLog.ts";
import { type LivingCopy, livingCopies } from "../../../rl/logs/livingCopies.ts";
import { partNames } from "../../../rl/logs/logEvidence.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { runPlan } from "../../experiment/small/runSmall.ts";
import { MetricChart } from "../../kit/charts/MetricChart.tsx";
import { Button } from "../../kit/controls/Button.tsx";
import { logCharts } from "./logCharts.ts";

/** Charts of both that are drawn beside each other. */
const MOST = 4;

type State =
  | { readonly is: "training" }
  | { readonly is: "failed"; readonly why: string }
  | { readonly is: "there"; readonly copy: LogReading };

/** What the copy's own judgement says, beside what the log was named for. */
function sentenceOf(named: Named, { named: found }: LogReading): string {
  const same = found.find(({ id }) => saysTheSame(id, named.id));
  if (same) return `Named of this run too: ${same.title}. ${same.evidence}`;
  const [first] = found;
  return first ? `Of this run another thing is named: ${first.title}. ${first.evidence}` : "Nothing is named of this run.";
}

function Beside({ reading, copy }: { readonly reading: LogReading; readonly copy: LogReading }) {
  const ofLog = logCharts(reading.evidence, partNames(reading.evidence.log));
  const ofCopy = logCharts(copy.evidence, []);
  const both = ofLog.flatMap((log) => ofCopy.filter(({ spec }) => spec.id === log.spec.id).map((run) => ({ log, run })));
  const drawn = both.slice(0, MOST).flatMap(({ log, run }) => [
    { ...log, of: "the log" },
    { ...run, of: "this run" },
  ]);
  return (
    <div className="log-beside">
      {drawn.map(({ spec, series, of }) => (
        <MetricChart key={`${of} ${spec.id}`} spec={{ ...spec, title: `${spec.title}, ${of}` }} series={series} levels={[]} height={150} />
      ))}
    </div>
  );
}

export function LivingRun({ named, reading }: { readonly named: Named; readonly reading: LogReading }) {
  const copy = livingCopies[named.id];
  const preset = useEngine(({ catalog }) => catalog?.presets.find(({ id }) => id === copy?.preset));
  const [state, setState] = useState<State | null>(null);
  if (!copy) return <p className="fine-print">None of the presets here shows this, so there is no small run of it.</p>;
  const train = async ({ settings }: LivingCopy) => {
    setState({ is: "training" });
    try {
      const run = await runPlan({ config: { ...preset?.config, ...settings }, inspect: [] });
      setState({ is: "there", copy: judgeRecords({ config: run.config, steps: run.records, evaluations: [], baselines: [] }) });
    } catch (error) {
      setState({ is: "failed", why: errorText(error) });
    }
  };
  return (
    <div>
      <p>
        <Button isDisabled={!preset || state?.is === "training"} onPress={() => void train(copy)}>
          Train a small run that shows it
        </Button>{" "}
        <span className="fine-print">{copy.says}</span>
      </p>
      <div role="status">
        {state?.is === "training" && <p>Training …</p>}
        {state?.is === "there" && <p>{sentenceOf(named, state.copy)}</p>}
      </div>
      <div role="alert">{state?.is === "failed" && <p className="save-problem">It could not be trained: {state.why}</p>}</div>
      {state?.is === "there" && <Beside reading={reading} copy={state.copy} />}
    </div>
  );
}
