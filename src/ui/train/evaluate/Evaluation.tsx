// What the held-out problems say: accuracies with intervals, pass@k, against where the run started.
import { type ReactNode, useMemo } from "react";
import { counted, measureText, shareText } from "../../../protocol/quantities.ts";
import type { BaselineRecord, EvaluationRecord } from "../../../protocol/records.ts";
import { paidParts, paysForAnswers } from "../../../protocol/run/paidParts.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useEngine, useRun, useRunView } from "../../engine/store/useRunView.ts";
import { formatNumber } from "../../kit/charts/format.ts";
import type { TermId } from "../../kit/words/glossary.ts";
import { Term } from "../../kit/words/Term.tsx";
import { ageText, durationText, newestMeasured, recentMean, recentText } from "../../step/group/runReadings.ts";

interface ReadoutProps {
  readonly term: TermId;
  readonly label: string;
  readonly value: string;
  /** Under the value; "" keeps its line free, so that nothing jumps. */
  readonly note: ReactNode;
}

function Readout({ term, label, value, note }: ReadoutProps) {
  return (
    <div className="readout">
      <dt className="aside">
        <Term id={term}>{label}</Term>
      </dt>
      <dd>
        <span className="readout-value">{value}</span>
        <span className="readout-note fine-print">{note}</span>
      </dd>
    </div>
  );
}

function intervalText([low, high]: readonly [number, number]): string {
  return `${shareText(low)} – ${shareText(high)}`;
}

/** The largest k of pass@k; before the first evaluation the largest power of two among the samples asked for. */
function largestK(record: EvaluationRecord | undefined, samples: number): number {
  return record ? Math.max(1, ...Object.keys(record.passAtK).map(Number)) : 2 ** Math.floor(Math.log2(samples));
}

/**
 * How old the numbers are, where the run has gone on since. A quick evaluation asks fewer problems than an evaluation, and says
 * nothing of pass@k.
 */
function agesOf(record: EvaluationRecord | undefined, full: EvaluationRecord | undefined, k: number, step: number): readonly string[] {
  const evaluated = full ? ageText(full.step, step) : "";
  if (!record || record === full) return evaluated ? [`measured ${evaluated}`] : [];
  const looked = [`measured on ${counted(record.problems, "problem")}`, ageText(record.step, step)].filter(Boolean).join(" ");
  return evaluated && k > 1 ? [`${looked};`, `pass@${k} ${evaluated}`] : [looked];
}

/** What a run is paid for, where that is not right answers: how much its newest steps earned, which speaks loudest. */
function EarnedReadout() {
  const { metrics } = useRunView();
  useVersion(metrics);
  const { values } = metrics.series("reward");
  const mean = recentMean(values);
  return (
    <Readout term="reward" label="reward" value={measureText(mean ?? Number.NaN)} note={mean === null ? "" : recentText(values.length)} />
  );
}

function StartReadout({ isPaid }: { readonly isPaid: boolean }) {
  const baselines = useRun((facts) => facts.baselines);
  const textOf = (kind: BaselineRecord["kind"]) => {
    const found = baselines.find((record) => record.kind === kind);
    return found && (isPaid ? shareText(found.accuracy) : measureText(found.meanReward ?? Number.NaN));
  };
  const random = textOf("random");
  return (
    <Readout
      term="at-start"
      label={isPaid ? "sampled at the start" : "reward at the start"}
      value={textOf("start") ?? "–"}
      note={random ? <Term id="random-policy">random policy {random}</Term> : ""}
    />
  );
}

/** Whether right answers are paid for: where they are not, what is right is beside the point. */
function usePaidForAnswers(): boolean {
  const config = useRun((facts) => facts.config);
  const catalog = useEngine((facts) => facts.catalog);
  return useMemo(() => !config || !catalog || paysForAnswers(paidParts(config, catalog)), [config, catalog]);
}

/** Tiles that are there as soon as a run is, with their numbers once the first evaluation has come. */
export function EvaluationReadouts() {
  const isPaid = usePaidForAnswers();
  const record = useRun(newestMeasured);
  const full = useRun((facts) => facts.evaluations.at(-1));
  const step = useRun((facts) => facts.step);
  const task = useRun((facts) => facts.config?.task);
  const samples = useRun((facts) => facts.config?.evalSamples ?? 1);
  const catalog = useEngine((facts) => facts.catalog);
  // Where a task's own length ends every answer, form says nothing.
  const hasForm = catalog?.tasks.find(({ id }) => id === task)?.facts.fixedLength === false;
  const k = largestK(full, samples);
  // Greedy answers to the only problem there is leave nothing to chance, and so no interval.
  const isCertain = record !== undefined && record.greedyInterval[0] === record.greedyInterval[1];
  const isOne = isCertain && record.problems === 1;
  const isAll = isCertain && !isOne;
  const share = (value: number | undefined) => shareText(value ?? Number.NaN);
  const interval = (range: EvaluationRecord["greedyInterval"] | undefined) =>
    range ? <Term id="interval">{intervalText(range)}</Term> : "";
  return (
    <>
      <dl className="readouts grid" aria-label={record ? `Evaluation after step ${record.step}` : "Evaluation"}>
        {!isPaid && <EarnedReadout />}
        <Readout term="sampled" label="sampled accuracy" value={share(record?.sampledAccuracy)} note={interval(record?.sampledInterval)} />
        <Readout
          term="greedy"
          label="greedy accuracy"
          value={share(record?.greedyAccuracy)}
          note={
            isOne ? "one prompt" : isAll ? <Term id="held-out">all {record.problems} there are</Term> : interval(record?.greedyInterval)
          }
        />
        {isPaid && k > 1 && (
          <Readout
            term="pass-at-k"
            label={`pass@${k}`}
            value={share(full?.passAtK[k])}
            note={
              full ? isOne ? counted(full.samplesPerProblem, "sample") : <Term id="held-out">{counted(full.problems, "problem")}</Term> : ""
            }
          />
        )}
        {isPaid && hasForm && <Readout term="form" label="required form" value={share(record?.formRate)} note="" />}
        <StartReadout isPaid={isPaid} />
      </dl>
      <p className="readouts-age fine-print flex flex-wrap content-start">
        {agesOf(record, full, k, step).map((age) => (
          <span key={age}>{age}</span>
        ))}
      </p>
    </>
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
  // The line stays free for it, so that nothing jumps after the first step.
  if (stepTime === null || state === "idle") return <p className="throughput aside flex flex-wrap">&nbsp;</p>;
  return (
    <p className="throughput aside flex flex-wrap">
      <span>{recentText(metrics.series("step_time").values.length)}:</span>
      {Object.entries({ sampling, training }).map(
        ([name, speed]) =>
          speed !== null && (
            <span key={name}>
              {name} <b className="strong">{formatNumber(speed)}</b> tokens/s
            </span>
          ),
      )}
      <span>
        step <b className="strong">{durationText(stepTime)}</b>
      </span>
    </p>
  );
}
