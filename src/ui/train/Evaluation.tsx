// What the held-out problems say: accuracies with intervals, pass@k, against where the run started.
import type { BaselineRecord, EvaluationRecord } from "../../protocol/records.ts";
import { formatNumber, formatShare } from "../charts/format.ts";
import { useEngine, useRun, useRunView } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";
import { durationText, recentMean } from "./runReadings.ts";

interface ReadoutProps {
  readonly label: string;
  readonly value: string;
  readonly note?: string | undefined;
  /** "at step 40" where the number is older than the run; "" keeps its line free, so that nothing jumps. */
  readonly age?: string | undefined;
}

function Readout({ label, value, note, age }: ReadoutProps) {
  return (
    <div className="readout">
      <dt className="aside">{label}</dt>
      <dd>
        <span className="readout-value">{value}</span>
        {note && <span className="fine-print">{note}</span>}
        {age !== undefined && <span className="readout-age fine-print">{age}</span>}
      </dd>
    </div>
  );
}

function intervalText([low, high]: readonly [number, number]): string {
  return `${formatShare(low)} – ${formatShare(high)}`;
}

function accuracyOf(baselines: readonly BaselineRecord[], kind: BaselineRecord["kind"]): string | undefined {
  const found = baselines.find((record) => record.kind === kind);
  return found && formatShare(found.accuracy);
}

/** The largest k of pass@k; 1 where only single answers were judged. */
function largestK({ passAtK }: EvaluationRecord): number {
  return Math.max(1, ...Object.keys(passAtK).map(Number));
}

export function EvaluationReadouts() {
  const record = useRun((facts) => facts.evaluations.at(-1));
  const baselines = useRun((facts) => facts.baselines);
  const isOld = useRun((facts) => record !== undefined && record.step < facts.step);
  const task = useRun((facts) => facts.config?.task);
  const catalog = useEngine((facts) => facts.catalog);
  // Where a task's own length ends every answer, form says nothing.
  const hasForm = catalog?.tasks.find(({ id }) => id === task)?.facts.fixedLength === false;
  const isRunning = useRun((facts) => facts.state === "running");
  if (!record) return null;
  const random = accuracyOf(baselines, "random");
  const k = largestK(record);
  const isOne = record.problems === 1;
  const age = isOld ? `at step ${record.step}` : isRunning ? "" : undefined;
  return (
    <dl className="readouts" aria-label={`Evaluation after step ${record.step}`}>
      <Readout
        label="greedy accuracy"
        value={formatShare(record.greedyAccuracy)}
        note={isOne ? "one prompt" : intervalText(record.greedyInterval)}
        age={age}
      />
      <Readout label="sampled accuracy" value={formatShare(record.sampledAccuracy)} note={intervalText(record.sampledInterval)} age={age} />
      {k > 1 && (
        <Readout
          label={`pass@${k}`}
          value={formatShare(record.passAtK[k] ?? Number.NaN)}
          note={isOne ? `${record.samplesPerProblem} samples` : `${record.problems} problems`}
          age={age}
        />
      )}
      {hasForm && <Readout label="required form" value={formatShare(record.formRate)} age={age} />}
      <Readout label="sampled at the start" value={accuracyOf(baselines, "start") ?? "–"} note={random && `random policy ${random}`} />
    </dl>
  );
}

export function Throughput() {
  const { metrics } = useRunView();
  useVersion(metrics);
  const state = useRun((facts) => facts.state);
  const rate = (key: string) => recentMean(metrics.series(key).values);
  const sampling = rate("perf/sample_tokens_per_second");
  const training = rate("perf/train_tokens_per_second");
  const stepTime = rate("step_time");
  if (stepTime === null || state === "idle") return null;
  return (
    <p className="throughput aside">
      {Object.entries({ sampling, training }).map(
        ([name, speed]) =>
          speed !== null && (
            <span key={name}>
              {name} <b>{formatNumber(speed)}</b> tokens/s
            </span>
          ),
      )}
      <span>
        step <b>{durationText(stepTime)}</b>
      </span>
    </p>
  );
}
