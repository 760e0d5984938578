// What comes back when somebody asks the model of a run: its answers to a prompt, and what it might have
// said in place of each token of a kept completion.

import type { RunConfig } from "./config.ts";
import type { Alternative, GroupRecord, ProbeRecord } from "./records.ts";

/** A fixed held-out prompt, the same from the first step to the last. */
export interface ProbePrompt {
  readonly exampleId: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** The right answer, in the task's own notation. */
  readonly answer: string;
}

/** What a run has recorded of the same prompts over its steps. */
export interface Probed {
  readonly prompts: readonly ProbePrompt[];
  readonly records: readonly ProbeRecord[];
  /** Text of every token in the records, by its id. */
  readonly pieces: Readonly<Record<number, string>>;
}

/** One answer, token by token. */
export interface AskedAnswer {
  readonly pieces: readonly string[];
  /** Probability of each token when it was chosen, at the temperature it was drawn with. */
  readonly probabilities: readonly number[];
  /** False where the limit of tokens cut it off. */
  readonly isComplete: boolean;
  /** Whether the task counts it as right; null where no right answer is known, or the conversation goes on after it. */
  readonly isRight: boolean | null;
}

/** What one set of weights answers. */
export interface AskedAnswers {
  readonly greedy: AskedAnswer;
  readonly samples: readonly AskedAnswer[];
}

/** What the policy answers when it is asked: samples, alternatives, a step otherwise. */
export interface Asked {
  /** The messages that were put before the model. */
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** The right answer in the task's own notation, empty where many are right; null where the prompt is none of the task's. */
  readonly expected: string | null;
  /** Steps that the run had taken. */
  readonly step: number;
  readonly now: AskedAnswers;
  /** The same draws with the weights that the run began with; null where these are not kept. */
  readonly start: AskedAnswers | null;
}

/** The rollouts of a kept step under other settings. */
export interface OtherwiseStep {
  readonly step: number;
  /** Settings of the step with the other ones in place of its own. */
  readonly config: RunConfig;
  /** As they were sampled, with the rewards, parts and advantages that follow; what the policy learnt from is in the channels still. */
  readonly groups: readonly GroupRecord[];
  /** What had to be assumed because the step did not record it, as sentences. */
  readonly assumptions: readonly string[];
  /** The step taken on a copy, where that was asked for. */
  readonly copy: StepOnCopy | null;
}

/** What a step on a copy did to one group, and what the copy then says. */
export interface StepOnCopy {
  /** The weights the copy began with: those the step was sampled with, or those of now where these are not kept. */
  readonly from: "before" | "now";
  /** Change of the log-prob of each completion, all its sampled tokens together (nats). */
  readonly changes_G: readonly number[];
  /** Mean norm of the gradients. */
  readonly gradNorm: number | null;
  /**
   * What a critic with a trunk of its own foresees on average over the group's tokens, before its update on the copy and
   * after it; null without such a critic. It begins with its weights of now.
   */
  readonly values: { readonly before: number; readonly after: number } | null;
  /** Answers to the same prompt, drawn with the same numbers, of the weights the copy began with and of the copy. */
  readonly original: AskedAnswers;
  readonly changed: AskedAnswers;
}

/** For each token of a completion the likeliest ones in its place, likeliest first; none at tokens that the policy did not sample. */
export interface Alternatives {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  /** The places [begin, end) that are answered for; none of the others has any. */
  readonly places: readonly [number, number];
  readonly alternatives_T: readonly (readonly Alternative[])[];
}

/** Places of a long completion that are answered for at once. */
const PLACES = 16;

/** The stretch of places that a question about one place is answered for, of so many places. */
export function alternativesAround(index: number, count: number): readonly [number, number] {
  const begin = index - (index % PLACES);
  return [begin, Math.min(count, begin + PLACES)];
}

/** How far something moved the token that is asked about (nats of its log-prob). */
export interface AnswerShare {
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly nats: number;
}

/** What the push of one token of the step did to the one that is asked about. */
export interface PushShare extends AnswerShare {
  readonly tokenIndex: number;
  readonly piece: string;
  readonly advantage: number;
}

/**
 * Why a token moved: the change of its log-prob by a step that was taken on a copy, share by share (nats). Those of
 * `own` to `rest` add up to it, and `sameToken`, `tokens` and `answers` name what they are made of.
 */
export interface Attribution {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly tokenIndex: number;
  /** The weights the copy began with: those the step was sampled with, or those of now where these are not kept. */
  readonly from: "before" | "now";
  readonly optimizerSteps: number;
  /** Log-prob before the update, and its change. */
  readonly old: number;
  readonly change: number;
  /** Of its own push; of those on the other tokens of its answer, on the other answers of its group, and on the other groups. */
  readonly own: number;
  readonly sameAnswer: number;
  readonly sameGroup: number;
  readonly otherGroups: number;
  /**
   * Of what Adam had gathered of earlier steps, of weight decay, and of what is no token's push: an entropy bonus, an
   * exact KL, a critic on the policy.
   */
  readonly momentum: number;
  readonly decay: number;
  readonly others: number;
  /** What is left: the rounding of the measurement. */
  readonly rest: number;
  /** The same token at other places that are pushed. */
  readonly sameToken: { readonly count: number; readonly nats: number };
  /** The tokens and the other answers whose push did most, largest first. */
  readonly tokens: readonly PushShare[];
  readonly answers: readonly AnswerShare[];
}
