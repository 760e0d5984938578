// The small run of most lessons: the table policy on one digit that has to be the right one. Right or wrong, 1 or 0,
// nothing in between; one in ten at the start.
import type { RunConfigInput } from "../../../protocol/config.ts";

export const RIGHT_DIGIT = 6;

/** A run in which an answer is one digit, right or wrong. */
export function oneDigitRun(changes: RunConfigInput): RunConfigInput {
  return {
    task: "digit-sum",
    taskOptions: { length: 1, target: RIGHT_DIGIT },
    maxCompletionTokens: 1,
    model: "tabular",
    startFrom: "random",
    rewardRules: { exactMatch: {} },
    rewardWeights: { sumCloseness: 0, exactMatch: 1 },
    algorithm: "grpo",
    klCoef: 0,
    optimizer: "sgd",
    maxGradNorm: 0,
    ...changes,
  };
}

/** The same as an address of the Train screen. */
export function oneDigitAddress(changes: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return {
    preset: "digit-sum-table",
    "task.length": "1",
    "task.target": String(RIGHT_DIGIT),
    maxCompletionTokens: "1",
    rewardRules: JSON.stringify({ exactMatch: {} }),
    "reward.sumCloseness": "0",
    "reward.exactMatch": "1",
    algorithm: "grpo",
    klCoef: "0",
    optimizer: "sgd",
    maxGradNorm: "0",
    ...changes,
  };
}

/** A metric of each step, in order. */
export function metricOf(records: readonly { readonly step: number; readonly metrics: Readonly<Record<string, number>> }[], name: string) {
  return records.map(({ step, metrics }) => [step, metrics[name] ?? Number.NaN] as const);
}

/** The last known value of a metric. */
export function lastOf(records: Parameters<typeof metricOf>[0], name: string): number {
  return metricOf(records, name).findLast(([, value]) => Number.isFinite(value))?.[1] ?? Number.NaN;
}
