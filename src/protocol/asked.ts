// What comes back when somebody asks the model of a run: its answers to a prompt, and what it might have
// said in place of each token of a kept completion.

import type { ProbeRecord } from "./records.ts";

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

/** What the policy answers when it is asked: samples, alternatives, a what-if. */
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

/** One step taken on a copy with other rewards: what it would have done, and what the copy then says. */
export interface WhatIf {
  readonly step: number;
  readonly promptIndex: number;
  /** The weights the copy began with: those the step was sampled with, or those of now where these are not kept. */
  readonly from: "before" | "now";
  /** Advantage of each completion of the group under those rewards. */
  readonly advantages_G: readonly number[];
  /** Change of the log-prob of each completion, all its sampled tokens together (nats). */
  readonly changes_G: readonly number[];
  /** Mean norm of the gradients. */
  readonly gradNorm: number;
  /**
   * What a critic with a trunk of its own foresees on average over the group's tokens, before its update on the copy and
   * after it; null without such a critic. It begins with its weights of now.
   */
  readonly values: { readonly before: number; readonly after: number } | null;
  /** Answers to the same prompt, drawn with the same numbers, of the weights the copy began with and of the copy. */
  readonly original: AskedAnswers;
  readonly copy: AskedAnswers;
}

/** A token that could have stood there. */
export interface Alternative {
  readonly token: number;
  readonly piece: string;
  /** Its probability before and after the step's update; null where those weights are gone or not made yet. */
  readonly before: number | null;
  readonly after: number | null;
}

/** For each token of a completion the likeliest ones in its place, likeliest first; none at tokens that the policy did not sample. */
export interface Alternatives {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly alternatives_T: readonly (readonly Alternative[])[];
}
