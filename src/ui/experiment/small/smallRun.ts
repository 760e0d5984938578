// What a lesson asks of its engine, and what it gets; and the small runs of most lessons: the table policy under plain
// gradient descent, so that the objective alone moves it.
import type { RunConfig, RunConfigInput } from "../../../protocol/config.ts";
import type { ModelReport, StepGroups } from "../../../protocol/messages.ts";
import type { StepRecord } from "../../../protocol/records.ts";

/** A run to its last step. */
export interface SmallPlan {
  readonly config: RunConfigInput;
  /** Steps whose groups are wanted with their tokens. */
  readonly inspect: readonly number[];
}

/** What a finished run left. */
export interface SmallRun {
  readonly config: RunConfig;
  readonly model: ModelReport;
  readonly records: readonly StepRecord[];
  /** All groups of the steps that were asked for. */
  readonly steps: readonly StepGroups[];
}

/** The runs of a lesson in the order of its plans; none before they are there. */
export type SmallRuns = readonly SmallRun[];

/** GRPO without a KL, and nothing between its gradient and the logits. */
export const PLAIN = { algorithm: "grpo", klCoef: 0, optimizer: "sgd", maxGradNorm: 0 } as const satisfies RunConfigInput;

/** A logits table on one prompt. */
export const PLAIN_TABLE = {
  ...PLAIN,
  task: "digit-sum",
  model: "tabular",
  startFrom: "random",
  promptsPerStep: 1,
  groupSize: 24,
} as const satisfies RunConfigInput;

/** An answer is one digit. */
export const ONE_DIGIT = { taskOptions: { length: 1, target: 6 }, maxCompletionTokens: 1 } as const satisfies RunConfigInput;

/** One digit that has to be the right one: right or wrong, 1 or 0, nothing in between; one in ten at the start. */
export const RIGHT_DIGIT = {
  ...PLAIN,
  ...ONE_DIGIT,
  rewardRules: { exactMatch: {} },
  rewardWeights: { sumCloseness: 0, exactMatch: 1 },
} as const satisfies RunConfigInput;

/** A run for the right digit. */
export function oneDigitRun(changes: RunConfigInput): RunConfigInput {
  return { task: "digit-sum", model: "tabular", startFrom: "random", ...RIGHT_DIGIT, ...changes };
}

/** Settings as an address of the Train screen, whose preset has the task and the table. */
export function tableAddress({ taskOptions = {}, rewardRules, rewardWeights = {}, ...settings }: RunConfigInput) {
  const entries: readonly (readonly [string, unknown])[] = [
    ...Object.entries(taskOptions).map(([name, value]) => [`task.${name}`, value] as const),
    ...(rewardRules ? [["rewardRules", JSON.stringify(rewardRules)] as const] : []),
    ...Object.entries(rewardWeights).map(([name, weight]) => [`reward.${name}`, weight] as const),
    ...Object.entries(settings),
  ];
  return { preset: "digit-sum-table", ...Object.fromEntries(entries.map(([key, value]) => [key, String(value)])) };
}

/** The same of a whole configuration: what the preset of a table has need not be said. */
export function addressOf({ task, model, startFrom, ...settings }: RunConfigInput): Readonly<Record<string, string>> {
  if (model === "tabular") return tableAddress(settings);
  const { preset: _, ...address } = tableAddress({ ...settings, ...(model && { model }), ...(startFrom && { startFrom }) });
  return { ...(task && { task }), ...address };
}

/** Metrics of a run under names of one's own, as rows of a figure: one for each step. */
export function metricRows<K extends string>(run: SmallRun | undefined, names: Readonly<Record<K, string>>) {
  const keys = Object.keys(names) as K[];
  return (run?.records ?? []).map(({ step, metrics }) => ({
    step,
    ...(Object.fromEntries(keys.map((key) => [key, metrics[names[key]] ?? Number.NaN])) as Record<K, number>),
  }));
}
