// Facts a run leaves behind, as plain data that crosses threads and files: step metrics,
// evaluations and sampled groups with their per-token values.

import type { JudgedFrom } from "./custom/judges.ts";
import type { EnvReport } from "./envReport.ts";

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
export interface ProblemOutcomes {
  /** Of the problems' ids in their order: evaluations that share it asked the same, and their outcomes are pairs. */
  readonly problemsHash: number;
  /** Right answers among the samples of each problem. */
  readonly right_P: readonly number[];
  /** 1 where the greedy answer is right, 0 elsewhere. */
  readonly greedyRight_P: readonly number[];
}

/** One evaluation on held-out problems. */
export interface EvaluationRecord {
  readonly step: number;
  readonly problems: number;
  readonly samplesPerProblem: number;
  /**
   * Share of problems answered right by greedy decoding, with its 95 % Wilson interval; without width where these are
   * all the problems there are.
   */
  readonly greedyAccuracy: number;
  readonly greedyInterval: readonly [number, number];
  /** Share of sampled completions that are right, with a 95 % interval over problems. */
  readonly sampledAccuracy: number;
  readonly sampledInterval: readonly [number, number];
  /** Unbiased pass@k for k = 1, 2, 4, ... up to samplesPerProblem. */
  readonly passAtK: Readonly<Record<number, number>>;
  /** Share of greedy completions in the required form (1 where a task has none). */
  readonly formRate: number;
  /** Over the conversations that could be scored; null where none could. */
  readonly meanReward: number | null;
  /** Means over the sampled conversations of what their environments report, by name; left out where they report nothing. */
  readonly metrics?: Readonly<Record<string, number>>;
  /** Missing where a record was made before outcomes were kept. */
  readonly outcomes?: ProblemOutcomes;
}

/** What the untrained and the starting policy reach on the same problems. */
export interface BaselineRecord {
  readonly kind: "random" | "start";
  /** Over the conversations that could be scored; null where none could. */
  readonly meanReward: number | null;
  readonly accuracy: number;
  readonly interval: readonly [number, number];
  readonly samples: number;
}

/** What the policy likeliest says to one fixed prompt: its greedy answer, one turn of it. */
export interface ProbeAnswer {
  /**
   * At each place of the answer the token that was said, then the likeliest others, likeliest first; at late places of
   * long answers the said one alone.
   */
  readonly tokens_T: readonly (readonly number[])[];
  /** Their log-probs at the run's temperature, as training scores them (nats). */
  readonly logprobs_T: readonly (readonly number[])[];
  /** False where the limit of tokens cut it off. */
  readonly isComplete: boolean;
  /** What the answer earns; null where a conversation would go on after it, and where nothing could score. */
  readonly reward: number | null;
}

/** The same fixed held-out prompts after some step, one answer to each. */
export interface ProbeRecord {
  readonly step: number;
  readonly answers: readonly ProbeAnswer[];
}

/**
 * Why a conversation ended: by itself; at a limit of tokens in a turn, of turns, of calls, or of the model's context
 * (which truncates it); because the environment could not go on from what was said; or because it failed.
 */
export type StopReason = "completed" | "max-tokens" | "max-turns" | "max-calls" | "max-context" | "parse-error" | "env-error";

/** A named reward part before weighting; null where the part could not score. */
export interface RewardPartRecord {
  readonly name: string;
  readonly value: number | null;
  /** Why it could not, where it failed rather than had nothing to judge. */
  readonly reason?: string;
  /** Null where the files of another program do not say it. */
  readonly weight: number | null;
  /** What of the value each turn of the policy earned by itself, where the part says so. */
  readonly turns?: readonly number[];
  /** What a judge's value was read from. */
  readonly judged?: JudgedFrom;
}

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
export interface AdvantageArithmetic {
  readonly from: number;
  readonly baseline: number;
  readonly scale: number;
  readonly fade: number;
  readonly shift: number;
  readonly spread: number;
}

/** A token that could have stood there. */
export interface Alternative {
  readonly token: number;
  readonly piece: string;
  /** Its probability before and after the step's update; null where those weights are gone or not made yet. */
  readonly before: number | null;
  readonly after: number | null;
}

/** One completion with everything known about it. */
export interface TrajectoryRecord {
  /** Only where it differs from the group's: an environment may open each conversation its own way. */
  readonly prompt?: PromptRecord;
  readonly tokens: readonly number[];
  /** 1 where the policy sampled the token, 0 where it was inserted between two of its turns. */
  readonly sampled: readonly number[];
  /** Text of each token; joined they are the completion as text (bytes split over tokens excepted). */
  readonly pieces: readonly string[];
  readonly text: string;
  /** Null where nobody said why it ended. */
  readonly stopReason: StopReason | null;
  /** What the environment opened with, only where that is not the problem's messages. */
  readonly opening?: readonly MessageRecord[];
  /** What went wrong in the environment, where that ended it. */
  readonly failure?: string;
  /** What was said after the opening, message by message. */
  readonly messages: readonly MessageRecord[];
  readonly report?: EnvReport;
  readonly rewardParts: readonly RewardPartRecord[];
  /** Weighted total; null when nothing could score. */
  readonly reward: number | null;
  /** What of the total each turn earned by itself, where parts say so; the rest is the whole conversation's. */
  readonly turnRewards?: readonly number[];
  /** Null where nobody said it. */
  readonly advantage: number | null;
  /** Left out before the advantage is known, and where nothing could score. */
  readonly arithmetic?: AdvantageArithmetic;
  /** The critic's value of where a limit cut it off; left out where it ended by itself, and where the run does not look. */
  readonly bootstrap?: number;
  /** Which minibatch it was in, from 1, one for each inner epoch; left out where the step is not cut. */
  readonly minibatches?: readonly number[];
  /** Whether it is right; null where nobody said it. */
  readonly success: boolean | null;
  /**
   * Only its length and what it earned are here, as in a link that holds no more: nothing of what was said, and 0 for
   * each token's log-probs.
   */
  readonly isBare?: true;
  /** The likeliest tokens at the places [begin, end), where they were on screen as the run was handed on. */
  readonly alternatives?: { readonly places: readonly [number, number]; readonly rows: readonly (readonly Alternative[])[] };
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
export interface GroupRecord extends PromptRecord {
  readonly step: number;
  readonly promptIndex: number;
  readonly exampleId: string;
  readonly messages: readonly MessageRecord[];
  readonly answer: string;
  /** Why this group trains nothing, if so: all rewards equal. */
  readonly zeroSpread: boolean;
  readonly trajectories: readonly TrajectoryRecord[];
}

/** A message as records keep it. */
export interface MessageRecord {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
  readonly agent?: string;
  readonly toolCalls?: readonly {
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    /** The arguments as they were written, where their values do not say it. */
    readonly written?: string;
  }[];
  /** What is wrong with calls that could not be read, a sentence each. */
  readonly toolCallProblems?: readonly string[];
}

/** Which step's groups can still be inspected, and a one-line view of each group. */
export interface GroupSummary {
  readonly step: number;
  readonly promptIndex: number;
  readonly prompt: string;
  readonly meanReward: number;
  readonly rewardStd: number;
  readonly successRate: number;
  /** Size of the largest advantage of a token; 0 before they are known. */
  readonly largestAdvantage: number;
}
