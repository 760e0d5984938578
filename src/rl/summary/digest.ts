// What a list tells of a run without reading its records: the verdict in a word, what it reached, and its curve in a few
// points. Whoever writes the save works it out from what the run has recorded.
import type { RunDigest } from "../../protocol/run/runSummary.ts";
import { diagnose } from "../diagnosis/index.ts";
import { endsOf, historyOf, lastEvaluation, type RunRecords } from "../verdict/history.ts";
import { judgeRun } from "../verdict.ts";

/** Points of a curve that is a few letters wide. */
const POINTS = 24;

/** Means over equal parts of the values, as many as there is room for. */
function coarse(values: ArrayLike<number>): number[] {
  const known = Array.from(values).filter(Number.isFinite);
  const cells = Math.min(POINTS, known.length);
  return Array.from({ length: cells }, (_, i) => {
    const from = Math.floor((i * known.length) / cells);
    const to = Math.floor(((i + 1) * known.length) / cells);
    let sum = 0;
    for (let at = from; at < to; at++) sum += known[at]!;
    return sum / (to - from);
  });
}

/** What a list says of a run that has recorded this. */
export function digestOf(records: RunRecords): RunDigest {
  const history = historyOf(records);
  const key = history.config.kind === "supervised" ? "loss" : "reward";
  const { values } = history.metric(key);
  const { verdict } = judgeRun(history);
  const [cause] = diagnose(history, verdict);
  return {
    measure: key,
    final: endsOf(history, key).final,
    accuracy: lastEvaluation(records)?.sampledAccuracy ?? null,
    verdict,
    ...(cause ? { cause: cause.diagnosis.title } : {}),
    curve: coarse(values),
  };
}
