// What comes back when somebody asks the model of a run: its answers to a prompt, and what it might have
// said in place of each token of a kept completion.

/** One answer, token by token. */
export interface AskedAnswer {
  readonly pieces: readonly string[];
  /** Probability of each token when it was chosen, at the temperature it was drawn with. */
  readonly probabilities: readonly number[];
  /** False where the limit of tokens cut it off. */
  readonly isComplete: boolean;
}

/** What one set of weights answers. */
export interface AskedAnswers {
  readonly greedy: AskedAnswer;
  readonly samples: readonly AskedAnswer[];
}

export interface Asked {
  /** The messages that were put before the model. */
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  /** Steps that the run had taken. */
  readonly step: number;
  readonly now: AskedAnswers;
  /** The same draws with the weights that the run began with; null where these are not kept. */
  readonly start: AskedAnswers | null;
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
