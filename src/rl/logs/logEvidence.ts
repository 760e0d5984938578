// A log as verdicts and diagnoses read a run: curves, the settings that are known, and nothing that is not.
import type { RunConfig } from "../../protocol/config.ts";
import type { PaidPart } from "../../protocol/run/paidParts.ts";
import type { RunEvidence } from "../diagnosis/diagnosis.ts";
import type { Points } from "../verdict/history.ts";
import type { ReadLog } from "./readLog.ts";

export interface LogEvidence extends RunEvidence {
  readonly log: ReadLog;
  /** Steps whose number of a metric is nan or None. */
  readonly unknown: (key: string) => readonly number[];
}

/** Rounding of single precision, by which a sum of means may miss the mean of sums. */
const ROUNDING = 1e-3;

/** The names of the parts of the reward, in the log's order. */
export function partNames(log: Pick<ReadLog, "names">): readonly string[] {
  const found = log.names.flatMap(({ to }) => /^rewards\/(.+)\/mean$/.exec(to ?? "")?.[1] ?? []);
  return [...new Set(found)];
}

/** The parts of the reward, where their means add up to it in every step, so that each has the weight 1; null where they do not. */
function partsOf(log: ReadLog): readonly PaidPart[] | null {
  const names = partNames(log);
  const isSum = log.rows.every(({ metrics }) => {
    const means = names.map((name) => metrics[`rewards/${name}/mean`]);
    if (metrics.reward === undefined) return true;
    if (means.some((mean) => mean === undefined)) return false;
    const sum = means.reduce<number>((total, mean) => total + mean!, 0);
    return Math.abs(sum - metrics.reward) <= ROUNDING * Math.max(1, Math.abs(metrics.reward));
  });
  if (names.length === 0 || !isSum) return null;
  // Which of them pays for right answers nobody here knows: any of them may.
  return names.map((name) => ({ name, title: name, weight: 1, paysAnswers: true }));
}

const metricOf = (log: ReadLog): ((key: string) => Points) => {
  const known = new Map<string, Points>();
  return (key) => {
    const found = known.get(key);
    if (found) return found;
    const rows = log.rows.filter(({ metrics }) => metrics[key] !== undefined);
    const points = { steps: rows.map(({ step }) => step), values: rows.map(({ metrics }) => metrics[key]!) };
    known.set(key, points);
    return points;
  };
};

/** What of the configuration the log's own columns say, where nobody wrote it beside them. */
function configOf(log: ReadLog, metric: (key: string) => Points): Partial<RunConfig> {
  // A schedule lowers the rate: the largest is the one that was set.
  const rates = Array.from(metric("learning_rate").values);
  const weights = Array.from(metric("kl_coef").values);
  return {
    ...(rates.length > 0 ? { learningRate: Math.max(...rates) } : {}),
    ...(weights.length > 0 ? { klCoef: weights.at(-1)! } : {}),
    ...log.config,
  };
}

export function logEvidence(log: ReadLog): LogEvidence {
  const metric = metricOf(log);
  return {
    log,
    metric,
    evaluations: [],
    baselines: [],
    rewards: partsOf(log),
    config: configOf(log, metric),
    unknown: (key) => log.rows.filter(({ unknown }) => unknown.includes(key)).map(({ step }) => step),
  };
}
