// What a verdict or a diagnosis may look at: what a run has recorded, and nothing else. The page's
// stores give it.
import type { RunConfig, RunConfigInput } from "../../protocol/config.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../../protocol/records.ts";
import type { PaidPart } from "../../protocol/run/paidParts.ts";
import { meanOf } from "../advantage/statistics.ts";
import type { Share } from "./estimate.ts";

/** Points of one metric, ascending in step. */
export interface Points {
  readonly steps: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

export interface RunHistory {
  readonly config: RunConfig;
  /** All points of a metric of the steps; empty for a metric that never came. */
  readonly metric: (key: string) => Points;
  /** In the order of their steps. */
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  /** The parts of the reward as the configuration weighs them; left out or null where they are not known. */
  readonly rewards?: readonly PaidPart[] | null;
  /** The settings that the task itself comes with, where they are known. */
  readonly usual?: RunConfigInput | null;
}

/** What a run has recorded, as its save or its folder has it. */
export interface RunRecords {
  readonly config: RunConfig;
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  readonly rewards?: RunHistory["rewards"];
  readonly usual?: RunHistory["usual"];
}

/** The points of a metric among records. */
function pointsOf(records: readonly StepRecord[], key: string): Points {
  const steps = new Float64Array(records.length);
  const values = new Float64Array(records.length);
  let count = 0;
  for (const { step, metrics } of records) {
    const value = metrics[key];
    if (value === undefined || !Number.isFinite(value)) continue;
    steps[count] = step;
    values[count++] = value;
  }
  return { steps: steps.subarray(0, count), values: values.subarray(0, count) };
}

/** The records as verdicts and diagnoses read them; they must not become other ones meanwhile. */
export function historyOf({ config, steps, evaluations, baselines, rewards = null, usual = null }: RunRecords): RunHistory {
  // A verdict and its diagnoses ask for the same metrics again and again.
  const read = new Map<string, Points>();
  const metric = (key: string) => {
    const known = read.get(key) ?? pointsOf(steps, key);
    read.set(key, known);
    return known;
  };
  return { config, metric, evaluations, baselines, rewards, usual };
}

/** Looks values up by steps that are asked for in ascending order; undefined where a step has none. */
export function valuesAt({ steps, values }: Points): (step: number) => number | undefined {
  let at = 0;
  return (step) => {
    while (at < steps.length && steps[at]! < step) at += 1;
    return steps[at] === step ? values[at] : undefined;
  };
}

/** The last evaluation of what was trained; that of the start says nothing of it, unless no step was taken. */
export function lastEvaluation({ steps, evaluations }: Pick<RunRecords, "steps" | "evaluations">): EvaluationRecord | undefined {
  return evaluations.findLast(({ step }) => step > 0 || steps.length === 0);
}

/** The first evaluation and the last one; null where these are not two. */
export function outerEvaluations(
  evaluations: readonly EvaluationRecord[],
): readonly [first: EvaluationRecord, last: EvaluationRecord] | null {
  const [first, last] = [evaluations[0], evaluations.at(-1)];
  return first && last && first !== last ? [first, last] : null;
}

/** A run as somebody sees it who does not ask which answers are right. */
export function withoutAnswers<R extends Pick<RunHistory, "metric" | "evaluations">>(run: R): R {
  const none = { steps: [], values: [] };
  return { ...run, evaluations: [], metric: (key: string) => (key === "success_rate" ? none : run.metric(key)) };
}

/** Steps whose mean counts as the present, for verdicts and diagnoses alike. */
export const RECENT_STEPS = 20;

/** What a verdict reads; of the configuration, how many steps were planned, how many groups each has and how large they are. */
export type RecordedRun = Pick<RunHistory, "metric" | "evaluations" | "baselines" | "rewards"> & {
  readonly config?: Partial<Pick<RunConfig, "kind" | "steps" | "promptsPerStep" | "groupSize">> | null;
};

/** Whether a run has taken all of its steps; one with 0 has no last step. */
export function isOver({ config, metric }: Pick<RecordedRun, "config" | "metric">): boolean {
  const planned = config?.steps ?? 0;
  if (planned === 0) return false;
  return ["reward", "loss"].some((key) => {
    const { steps } = metric(key);
    return (steps[steps.length - 1] ?? -1) >= planned;
  });
}

/** Whether the task has no other problem than the one that was asked: of its likeliest answer nothing is left to chance. */
function isOnlyProblem(evaluations: readonly EvaluationRecord[]): boolean {
  const last = evaluations.at(-1);
  return last?.problems === 1 && last.greedyInterval[0] === last.greedyInterval[1];
}

/**
 * The variance of the mean reward of each of these steps as its groups show it, b² / P + w² / (P G) with w within groups, s over all
 * rewards and b² = (s² - w²) (P G - 1) / (P - 1) G between problems, as of few groups (s² - w²) is too small. An upper bound, since
 * the mean of w is squared. NaN where it is not recorded, and of one group, which shows no spread between problems, unless the task
 * has only one.
 */
export function rewardVariances(
  { metric, config, evaluations }: Pick<RecordedRun, "metric" | "config" | "evaluations">,
  steps: ArrayLike<number>,
): readonly number[] {
  const { promptsPerStep: groups = 0, groupSize = 0 } = config ?? {};
  if (groups === 1 && isOnlyProblem(evaluations)) {
    const within = valuesAt(metric("reward/group_std"));
    return Array.from(steps, (step) => (within(step) ?? Number.NaN) ** 2 / groupSize);
  }
  if (groups < 2) return new Array<number>(steps.length).fill(Number.NaN);
  const all = valuesAt(metric("reward_std"));
  const within = valuesAt(metric("reward/group_std"));
  return Array.from(steps, (step) => {
    const s = all(step) ?? Number.NaN;
    const w = within(step) ?? Number.NaN;
    const between = (Math.max(0, s * s - w * w) * (groups * groupSize - 1)) / ((groups - 1) * groupSize);
    return between / groups + (w * w) / (groups * groupSize);
  });
}

/** The last `count` values of a metric, fewer where there are not as many. */
export function latest({ metric }: Pick<RunHistory, "metric">, key: string, count = RECENT_STEPS): readonly number[] {
  const { values } = metric(key);
  const first = Math.max(0, values.length - count);
  return Array.from({ length: values.length - first }, (_, i) => values[first + i]!);
}

/** Rewards apart by less are equal up to rounding, and so is a share of 1. */
export const EQUAL = 1e-6;
/** Tied groups at the top that have to follow each other, of which then less than one in ten can be expected to differ; and their steps. */
const TOP_GROUPS = 35;
const TOP_STEPS = 5;

/**
 * Over how many last steps all groups were tied while no step has earned more, so that nothing is left to learn from. Null where these
 * are few, and where the reward never was another.
 */
export function stepsAtTop({ metric, config }: Pick<RunHistory, "metric"> & Pick<RecordedRun, "config">): number | null {
  const [{ steps, values }, tied] = [metric("reward"), valuesAt(metric("frac_reward_zero_std"))];
  let most = Number.NEGATIVE_INFINITY;
  let least = Number.POSITIVE_INFINITY;
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const isTop = value >= most - EQUAL && (tied(steps[i]!) ?? 0) > 1 - EQUAL;
    count = !isTop ? 0 : value > most + EQUAL ? 1 : count + 1;
    [most, least] = [Math.max(most, value), Math.min(least, value)];
  }
  const enough = Math.max(TOP_STEPS, TOP_GROUPS / (config?.promptsPerStep ?? 1));
  return count >= enough && most - least > EQUAL ? count : null;
}

/** Held-out accuracy as counts: greedy answers to many problems, or all samples of the one problem of a task that has only one. */
export function sharesOf(evaluations: readonly EvaluationRecord[]): readonly (Share & { readonly step: number })[] {
  return evaluations.map(({ step, problems, samplesPerProblem, greedyAccuracy, sampledAccuracy }) =>
    problems > 1
      ? { step, right: Math.round(greedyAccuracy * problems), of: problems }
      : { step, right: Math.round(sampledAccuracy * samplesPerProblem), of: samplesPerProblem },
  );
}

/**
 * The first and the final value of a metric, as every report and list tells them: means over a tenth of the steps, 20 at
 * most; null without values.
 */
export function endsOf({ metric }: Pick<RunHistory, "metric">, key: string) {
  const values = Array.from(metric(key).values);
  const window = Math.max(1, Math.min(RECENT_STEPS, Math.floor(values.length / 10)));
  const mean = (part: readonly number[]) => (part.length === 0 ? null : meanOf(part));
  return { first: mean(values.slice(0, window)), final: mean(values.slice(-window)), window };
}
