// Records as they may come back from storage: strict, so that a record which lacks a field is refused
// where it is read and not where a chart looks for it.

import type { BaselineRecord, EvaluationRecord, ProbeRecord } from "../../protocol/records.ts";
import { z } from "../../protocol/zod.ts";

/** The kinds of record beside the steps. @param number how a file writes numbers. */
export function recordSchemas(number: z.ZodType<number>) {
  const interval = z.tuple([number, number]);
  const count = z.int().min(0);
  const outcomes = z
    .strictObject({ problemsHash: count, right_P: z.array(count), greedyRight_P: z.array(z.int().min(0).max(1)) })
    .refine(({ right_P, greedyRight_P }) => right_P.length === greedyRight_P.length, "must have both outcomes of each problem");
  const evaluation: z.ZodType<EvaluationRecord> = z.strictObject({
    step: count,
    problems: count,
    samplesPerProblem: count,
    greedyAccuracy: number,
    greedyInterval: interval,
    sampledAccuracy: number,
    sampledInterval: interval,
    passAtK: z.record(z.string(), number),
    formRate: number,
    meanReward: number,
    metrics: z.record(z.string(), number).exactOptional(),
    outcomes: outcomes.exactOptional(),
  });
  const baseline: z.ZodType<BaselineRecord> = z.strictObject({
    kind: z.enum(["random", "start"]),
    meanReward: number,
    accuracy: number,
    interval,
    samples: count,
  });
  const rows = <S extends z.ZodType>(cell: S) => z.array(z.array(cell).min(1));
  const answer = z
    .strictObject({ tokens_T: rows(count), logprobs_T: rows(number), isComplete: z.boolean(), reward: number.nullable() })
    .refine(
      ({ tokens_T, logprobs_T }) =>
        tokens_T.length === logprobs_T.length && tokens_T.every(({ length }, t) => length === logprobs_T[t]!.length),
      "must have a log-prob for each token",
    );
  const probe: z.ZodType<ProbeRecord> = z.strictObject({ step: count, answers: z.array(answer) });
  return { evaluation, baseline, probe };
}

/** Throws where records do not ascend in step. */
export function checkAscending(records: readonly { readonly step: number }[], what: string): void {
  for (let i = 1; i < records.length; i++) {
    const [before, here] = [records[i - 1]!.step, records[i]!.step];
    if (here <= before) throw new Error(`${what} must ascend in step, got ${here} after ${before}`);
  }
}
