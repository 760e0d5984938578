// How surely two evaluations of a run differ, one definition for verdicts and reports. Where both asked the same
// problems and kept how each went, the problems are pairs: Student's t over the differences of each. Elsewhere, as in
// older records, the interval is made of those of both (Newcombe 1998, method 10), which errs on the wide side.
import type { EvaluationRecord } from "../../protocol/records.ts";
import { differenceInterval, type Interval, wilsonInterval } from "../accuracy.ts";
import { intervalOf, meanEstimate } from "./estimate.ts";

export type Answers = "greedy" | "sampled";

/** Standard deviations of the recorded intervals, which are of 95 %. */
const RECORDED_Z = 1.959964;

/** The share of right answers of a kind. */
export function accuracyOf(record: EvaluationRecord, answers: Answers): number {
  return answers === "greedy" ? record.greedyAccuracy : record.sampledAccuracy;
}

/** Whether an evaluation beats the best so far: by sampled accuracy, then by reward; the first beats none. */
export function isBetter({ sampledAccuracy, meanReward }: Scored, best: Scored | null): boolean {
  if (!best) return true;
  const isTie = sampledAccuracy === best.sampledAccuracy;
  return isTie ? (meanReward ?? -Infinity) > (best.meanReward ?? -Infinity) : sampledAccuracy > best.sampledAccuracy;
}

type Scored = Pick<EvaluationRecord, "sampledAccuracy" | "meanReward">;

/** By how much the later evaluation lies above the earlier one, with the interval at z standard deviations. */
export function liftOf(earlier: EvaluationRecord, later: EvaluationRecord, answers: Answers, z = RECORDED_Z) {
  const measured = (record: EvaluationRecord) => ({ value: accuracyOf(record, answers), interval: recordedInterval(record, answers, z) });
  const paired = pairedInterval(earlier, later, answers, z);
  const lift = accuracyOf(later, answers) - accuracyOf(earlier, answers);
  return { lift, interval: paired ?? differenceInterval(measured(earlier), measured(later)), isPaired: paired !== null };
}

function pairedInterval(earlier: EvaluationRecord, later: EvaluationRecord, answers: Answers, z: number): Interval | null {
  const from = sharesOf(earlier, answers);
  const to = sharesOf(later, answers);
  const isSame = earlier.outcomes?.problemsHash === later.outcomes?.problemsHash && from.length === to.length;
  if (!isSame || from.length < 2) return null;
  const differences = to.map((share, p) => share - from[p]!);
  const estimate = meanEstimate(differences);
  // Differences that are all equal would claim certainty.
  if (estimate.variance * differences.length < 1e-12) return null;
  const [low, high] = intervalOf(estimate, z);
  return [Math.max(-1, low), Math.min(1, high)];
}

function sharesOf({ outcomes, samplesPerProblem }: EvaluationRecord, answers: Answers): readonly number[] {
  return (answers === "greedy" ? outcomes?.greedyRight_P : outcomes?.right_P.map((right) => right / samplesPerProblem)) ?? [];
}

function recordedInterval(record: EvaluationRecord, answers: Answers, z: number): Interval {
  const { problems, samplesPerProblem, sampledInterval } = record;
  const value = accuracyOf(record, answers);
  if (answers === "greedy") return wilsonInterval(Math.round(value * problems), problems, z);
  const [low, high] = sampledInterval;
  if (problems === 1 || low === high) return wilsonInterval(value * problems * samplesPerProblem, problems * samplesPerProblem, z);
  const wider = z / RECORDED_Z;
  return [Math.max(0, value - wider * (value - low)), Math.min(1, value + wider * (high - value))];
}
