// Facts a run leaves behind, as plain data that crosses threads and files: step metrics,
// evaluations and sampled groups with their per-token values. What files bring has its fields in a schema.

import type { baselineSchema, evaluationSchema, outcomesSchema, probeAnswerSchema, probeSchema } from "./record/measuredSchemas.ts";
import type {
  alternativeSchema,
  arithmeticSchema,
  callSchema,
  documentSchema,
  groupSchema,
  groupSummarySchema,
  messageSchema,
  reportSchema,
  rewardPartSchema,
  STOP_REASONS,
  trajectorySchema,
  turnSchema,
  viewSchema,
} from "./record/rolloutSchemas.ts";
import type { Recorded } from "./zod.ts";

/** Metrics of one optimizer step; keys follow TRL's names where one exists (see rl/metrics). */
export interface StepRecord {
  readonly step: number;
  readonly metrics: Readonly<Record<string, number>>;
}

/**
 * Metrics of the machine, measured with a clock or asked of the process: never twice the same. By name, since "time" is
 * part of other names too.
 */
const TIMED_METRICS: ReadonlySet<string> = new Set([
  "step_time",
  "time/sample",
  "time/score",
  "time/advantage",
  "time/update",
  "perf/sample_tokens_per_second",
  "perf/train_tokens_per_second",
  "resources/memory_bytes",
  "resources/cpu_seconds",
  // How much of it was known hangs on what was asked in between.
  "judge/cached",
  "judge/tokens",
  "judge/seconds",
]);

export const isTimedMetric = (name: string): boolean => TIMED_METRICS.has(name);

/** Whether two steps came out the same, to the bit, but for the time they took. */
export function isSameStep(a: StepRecord, b: StepRecord): boolean {
  const names = new Set([...Object.keys(a.metrics), ...Object.keys(b.metrics)]);
  return [...names].every((name) => isTimedMetric(name) || Object.is(a.metrics[name], b.metrics[name]));
}

/** How the problems of an evaluation went one by one, in the order in which they were asked. */
export type ProblemOutcomes = Recorded<typeof outcomesSchema>;

/** One evaluation on held-out problems. */
export type EvaluationRecord = Recorded<typeof evaluationSchema>;

/** What the untrained and the starting policy reach on the same problems. */
export type BaselineRecord = Recorded<typeof baselineSchema>;

/** What the policy likeliest says to one fixed prompt: its greedy answer, one turn of it. */
export type ProbeAnswer = Recorded<typeof probeAnswerSchema>;

/** The same fixed held-out prompts after some step, one answer to each. */
export type ProbeRecord = Recorded<typeof probeSchema>;

/**
 * Why a conversation ended: by itself; at a limit of tokens in a turn, of turns, of calls, or of the model's context
 * (which truncates it); because the environment could not go on from what was said; or because it failed.
 */
export type StopReason = (typeof STOP_REASONS)[number];

/** A named reward part before weighting; null where the part could not score. */
export type RewardPartRecord = Recorded<typeof rewardPartSchema>;

/** One call of a tool, and what came of it. */
export type CallReport = Recorded<typeof callSchema>;

/** A document that a search returned. */
export type FoundDocument = Recorded<typeof documentSchema>;

/** What people are shown beside a turn. */
export type TurnView = Recorded<typeof viewSchema>;

/** One turn of the policy, and what the environment made of it. */
export type TurnReport = Recorded<typeof turnSchema>;

/**
 * What an environment tells of a conversation that is over: figures, and each turn of the policy. With it nobody has to run the
 * environment a second time.
 */
export type EnvReport = Recorded<typeof reportSchema>;

/** Stands in `tokens` where nobody knows the token's id: its text is a word that was cut from what another program wrote. */
export const NO_TOKEN = -1;

/**
 * Per-token values of one completion; every array has one entry for each of its tokens, 0 where the policy did not sample it.
 * A channel that was not recorded for the whole completion is null, never zeros: files of other programs lack most of them.
 */
export interface TokenChannels {
  /** Log-probability when it was sampled (nats). */
  readonly oldLogprobs: readonly number[] | null;
  /** Log-probability in the last training forward of the step, before its optimizer step. */
  readonly trainLogprobs: readonly number[] | null;
  /** Log-probability after the whole update; null if it was not measured. */
  readonly newLogprobs: readonly number[] | null;
  /** Log-probability under the reference policy; null without a reference. */
  readonly refLogprobs: readonly number[] | null;
  /** Entropy of the distribution the token was drawn from (nats); null where the model does not tell it. */
  readonly sampledEntropies: readonly number[] | null;
  /** Entropy in the last training forward of the step, before its optimizer step (nats); null where the model does not tell it. */
  readonly trainEntropies: readonly number[] | null;
  readonly advantages: readonly number[] | null;
  /** dLoss / dLog-prob of the last inner epoch: how hard this token was pushed, and which way. */
  readonly lossWeights: readonly number[] | null;
  /** 1 where the token is trained. */
  readonly mask: readonly number[];
  /** Critic values; null without a critic. */
  readonly values: readonly number[] | null;
  /**
   * Reward plus the critic's discounted value of the next trained token, minus its value here; only with a critic, once
   * advantages are computed.
   */
  readonly tdErrors?: readonly number[];
}

/** How an advantage came about: ((from - baseline) / scale · fade - shift) / spread; see rl/advantage/types.ts. */
export type AdvantageArithmetic = Recorded<typeof arithmeticSchema>;

/** A token that could have stood there. */
export type Alternative = Recorded<typeof alternativeSchema>;

/** One completion with everything known about it. */
export interface TrajectoryRecord extends Recorded<typeof trajectorySchema> {
  /** Only where it differs from the group's: an environment may open each conversation its own way. */
  readonly prompt?: PromptRecord;
  readonly tokens: readonly number[];
  /** 1 where the policy sampled the token, 0 where it was inserted between two of its turns. */
  readonly sampled: readonly number[];
  /** Text of each token; joined they are the completion as text (bytes split over tokens excepted). */
  readonly pieces: readonly string[];
  readonly text: string;
  readonly channels: TokenChannels;
  /** Further numbers for each token, by the name that another program wrote them under; null where it wrote none. */
  readonly extras?: Readonly<Record<string, readonly (number | null)[]>>;
}

/** Whether all answers of a step are whole. */
export const areWhole = (groups: readonly Pick<GroupRecord, "trajectories">[]): boolean =>
  groups.every(({ trajectories }) => trajectories.every(({ isBare }) => !isBare));

/** A prompt as its tokens and their texts. */
export interface PromptRecord {
  readonly promptTokens: readonly number[];
  readonly promptPieces: readonly string[];
}

/** G completions of one problem. */
export interface GroupRecord extends Recorded<typeof groupSchema>, PromptRecord {
  readonly trajectories: readonly TrajectoryRecord[];
}

/** A message as records keep it. */
export type MessageRecord = Recorded<typeof messageSchema>;

/** Which step's groups can still be inspected, and a one-line view of each group. */
export type GroupSummary = Recorded<typeof groupSummarySchema>;
