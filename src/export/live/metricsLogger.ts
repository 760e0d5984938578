// What hears of a run's metrics while it goes on: the small protocol that any program can stand in for, and the files of other
// programs' forms as one of them.
import type { EvaluationRecord, StepRecord } from "../../protocol/records.ts";
import { evaluationCells } from "../metricsTable.ts";
import type { FileChange, LiveForm, LiveWriter, LoggedRow, LoggedRun } from "./liveForms.ts";

/** Hears of a run's metrics as they come. */
export interface MetricsLogger {
  /** A run begins, or goes on: what was logged before comes again. */
  begin(run: LoggedRun): void;
  /** What was measured at a step. A step may come twice, as its metrics and as its evaluation; steps never go back. */
  log(row: LoggedRow): void;
  end(): void;
}

/**
 * Writes a form's files. What comes of one step becomes one row, written when the next step comes or the run ends.
 * @param change carries out what becomes of a file, before it returns.
 */
export function formLogger(form: LiveForm, change: (change: FileChange) => void): MetricsLogger {
  let writer: LiveWriter | null = null;
  let waiting: LoggedRow | null = null;
  const write = (changes: readonly FileChange[]) => {
    for (const each of changes) change(each);
  };
  const flush = () => {
    if (waiting && writer) write(writer.row(waiting));
    waiting = null;
  };
  return {
    begin(run) {
      writer = form.open(run);
      waiting = null;
      write(writer.begin());
    },
    log(row) {
      if (waiting?.step === row.step) waiting = { ...waiting, values: { ...waiting.values, ...row.values } };
      else {
        flush();
        waiting = row;
      }
    },
    end() {
      flush();
      if (writer) write(writer.end());
    },
  };
}

/** Hands what a run tells to loggers, in the order of its steps: a fast run tells its evaluations before the steps they follow. */
export interface RunLog {
  begin(run: LoggedRun): void;
  /** @param wallTime seconds since 1970. */
  steps(records: readonly StepRecord[], wallTime: number): void;
  evaluation(record: EvaluationRecord, wallTime: number): void;
  end(): void;
}

/** A run's way to its loggers; owned state. */
export function runLog(loggers: readonly MetricsLogger[]): RunLog {
  let last = 0;
  const early = new Map<number, LoggedRow>();
  const log = (row: LoggedRow) => {
    for (const logger of loggers) logger.log(row);
  };
  const logEarly = (step: number) => {
    const row = early.get(step);
    if (row) log(row);
    early.delete(step);
  };
  return {
    begin(run) {
      last = 0;
      early.clear();
      for (const logger of loggers) logger.begin(run);
    },
    steps(records, wallTime) {
      for (const { step, metrics } of records) {
        last = step;
        log({ step, wallTime, values: metrics });
        logEarly(step);
      }
    },
    evaluation(record, wallTime) {
      const row = { step: record.step, wallTime, values: evaluationCells(record) };
      if (record.step <= last) log(row);
      else early.set(record.step, row);
    },
    end() {
      for (const step of [...early.keys()]) logEarly(step);
      for (const logger of loggers) logger.end();
    },
  };
}
