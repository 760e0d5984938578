// What is recorded of a run beside its steps, as it must look where a file brings it: evaluations, baselines and probes. The schemas
// are strict, so that a record which lacks a field is refused where it is read and not where a chart looks for it. What a measured
// value says is no reason to refuse a run: one out of its range is remarked on by whoever reads it.
import { z } from "../zod.ts";

/** Numbers that JSON lacks, by the names that they are written under. */
const NOT_IN_JSON = ["NaN", "Infinity", "-Infinity", "-0"] as const;
/** A number in JSON. */
export const anyNumber: z.ZodType<number> = z.union([z.number(), z.enum(NOT_IN_JSON).transform(Number)]);
const count = z.int().min(0);
const interval = z.tuple([anyNumber, anyNumber]);

export const outcomesSchema = z
  .strictObject({
    /** Of the problems' ids in their order: evaluations that share it asked the same, and their outcomes are pairs. */
    problemsHash: count,
    /** Right answers among the samples of each problem. */
    right_P: z.array(count),
    /** 1 where the greedy answer is right, 0 elsewhere. */
    greedyRight_P: z.array(z.int().min(0).max(1)),
  })
  .refine(({ right_P, greedyRight_P }) => right_P.length === greedyRight_P.length, "must have both outcomes of each problem");

export const evaluationSchema = z.strictObject({
  step: count,
  problems: count,
  samplesPerProblem: count,
  /**
   * Share of problems answered right by greedy decoding, with its 95 % Wilson interval; without width where these are
   * all the problems there are.
   */
  greedyAccuracy: anyNumber,
  greedyInterval: interval,
  /** Share of sampled completions that are right, with a 95 % interval over problems. */
  sampledAccuracy: anyNumber,
  sampledInterval: interval,
  /** Unbiased pass@k for k = 1, 2, 4, ... up to samplesPerProblem. */
  passAtK: z.record(z.string(), anyNumber),
  /** Share of greedy completions in the required form (1 where a task has none). */
  formRate: anyNumber,
  /** Over the conversations that could be scored; null where none could. */
  meanReward: anyNumber.nullable(),
  /** Means over the sampled conversations of what their environments report, by name; left out where they report nothing. */
  metrics: z.record(z.string(), anyNumber).exactOptional(),
  /** Missing where a record was made before outcomes were kept. */
  outcomes: outcomesSchema.exactOptional(),
});

export const baselineSchema = z.strictObject({
  kind: z.enum(["random", "start"]),
  /** Over the conversations that could be scored; null where none could. */
  meanReward: anyNumber.nullable(),
  accuracy: anyNumber,
  interval,
  samples: count,
});

const rows = <S extends z.ZodType>(cell: S) => z.array(z.array(cell).min(1));
export const probeAnswerSchema = z
  .strictObject({
    /**
     * At each place of the answer the token that was said, then the likeliest others, likeliest first; at late places of
     * long answers the said one alone.
     */
    tokens_T: rows(count),
    /** Their log-probs at the run's temperature, as training scores them (nats). */
    logprobs_T: rows(anyNumber),
    /** False where the limit of tokens cut it off. */
    isComplete: z.boolean(),
    /** What the answer earns; null where a conversation would go on after it, and where nothing could score. */
    reward: anyNumber.nullable(),
  })
  .refine(
    ({ tokens_T, logprobs_T }) =>
      tokens_T.length === logprobs_T.length && tokens_T.every(({ length }, t) => length === logprobs_T[t]!.length),
    "must have a log-prob for each token",
  );

export const probeSchema = z.strictObject({ step: count, answers: z.array(probeAnswerSchema) });
