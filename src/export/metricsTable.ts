// The metrics of a run as a table of comma-separated values, one row a step, for spreadsheets and data frames.
import type { EvaluationRecord, StepRecord } from "../protocol/records.ts";

/** A cell; text that holds a comma, a quote or a line break is quoted (RFC 4180). */
function cell(value: number | string | undefined): string {
  if (value === undefined || (typeof value === "number" && !Number.isFinite(value))) return "";
  const text = String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What evaluations add to the rows of their steps. */
export function evaluationCells(evaluation: EvaluationRecord): Readonly<Record<string, number>> {
  const { sampledAccuracy, greedyAccuracy, formRate, meanReward } = evaluation;
  return {
    "eval/sampled_accuracy": sampledAccuracy,
    "eval/greedy_accuracy": greedyAccuracy,
    "eval/form_rate": formRate,
    ...(meanReward === null ? {} : { "eval/reward": meanReward }),
  };
}

/** One value of a run at a step. */
export type Row = Readonly<Record<string, number>>;

/** Rows by step with their metrics and evaluations; the evaluation before the first step is step 0. */
export function metricRows(
  steps: readonly StepRecord[],
  evaluations: readonly EvaluationRecord[],
): readonly (readonly [step: number, row: Row])[] {
  const rows = new Map<number, Row>(steps.map(({ step, metrics }) => [step, metrics]));
  for (const evaluation of evaluations) rows.set(evaluation.step, { ...rows.get(evaluation.step), ...evaluationCells(evaluation) });
  return [...rows].sort(([a], [b]) => a - b);
}

/** Columns after the step's: what steps measured, then what evaluations add, each as it first came. */
export function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isMeasured = (name: string) => !name.startsWith("eval/");
  return [...names.filter(isMeasured), ...names.filter((name) => !isMeasured(name))];
}

export function tableLine(columns: readonly string[], step: number, row: Row): string {
  return `${[cell(step), ...columns.map((name) => cell(row[name]))].join(",")}\n`;
}

/** The table's head. */
export function tableHead(columns: readonly string[]): string {
  return `${["step", ...columns].map(cell).join(",")}\n`;
}
