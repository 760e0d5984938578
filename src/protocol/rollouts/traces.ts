// What is told of rollouts that another program wrote: what was recognised in its files, what each column was taken for, and
// what can therefore not be shown. Nothing is guessed in silence: what a file does not hold is absent, never 0.

/** What a column of somebody's rollouts can be taken for. */
export const TRACE_ROLES = [
  "prompt",
  "completion",
  /** Prompt and answer as one conversation; the policy's turns are those of the assistant. */
  "messages",
  "answer",
  /** The total that the advantages are computed from. */
  "reward",
  /** A named part of it; its name is the column's. */
  "part",
  "advantage",
  "group",
  "step",
  "stop",
  /** Lists of a token each: ids of the prompt and of the answer, whose log-probs, and 1 where the policy sampled the token. */
  "prompt-ids",
  "answer-ids",
  "logprobs",
  "trainer-logprobs",
  "reference-logprobs",
  "mask",
  /** Whether the answer is right: 0 or 1. */
  "success",
  /** Shown and asked for by its name, nothing else. */
  "other",
] as const;
/** The role of a column. */
export type TraceRole = (typeof TRACE_ROLES)[number];

/** A column, as it was taken or as somebody chose. */
export interface TraceColumn {
  readonly name: string;
  readonly role: TraceRole;
  /** The weight of a part where somebody knows it; null where the files do not say it. */
  readonly weight?: number | null;
  /** An example of its values, short. */
  readonly example: string;
}

/** Whose log-probs the tokens have. */
export type TraceLogprobs = "sampler" | "trainer" | "reference";

/** A line or a row that could not be read. */
export interface BrokenRow {
  /** "12.jsonl, line 7" */
  readonly where: string;
  readonly why: string;
}

export const RUN_SPLITS = ["one", "folders", "files"] as const;
/** How files are told apart by the runs that they are of: all of one, by folders, or each one of its own. */
export type RunSplit = (typeof RUN_SPLITS)[number];

/** The runs among the files: what is reported and shown is one of them. */
export interface TraceRuns {
  readonly by: RunSplit;
  readonly isChosen: boolean;
  /** The name of the run that is shown; each is named by what tells its folder or file from the others'. */
  readonly shown: string;
  readonly all: readonly { readonly name: string; readonly title: string; readonly rollouts: number; readonly steps: number }[];
}

/** What was found in files of rollouts. */
export interface TraceReport {
  /** Id and title of the form: "trl", "TRL's completions". */
  readonly form: string;
  readonly title: string;
  /** All forms, for whoever means another; and whether somebody chose this one. */
  readonly forms: readonly { readonly id: string; readonly title: string }[];
  readonly isFormChosen: boolean;
  /** False of what is shown while the rest of the files is still read. */
  readonly isWhole: boolean;
  /** Left out where all files are of one run, and nobody chose that. */
  readonly runs?: TraceRuns;
  readonly files: number;
  readonly bytes: number;
  readonly rollouts: number;
  /** Steps with rollouts, ascending; one step 0 where nothing tells steps apart. */
  readonly steps: readonly number[];
  readonly groups: number;
  /** How rollouts were put into groups and steps, a sentence each: "by equal prompts, 4 rollouts each". */
  readonly groupedBy: string;
  readonly stepsBy: string;
  readonly columns: readonly TraceColumn[];
  readonly rewardParts: readonly string[];
  /** Whether tokens are ids of a tokenizer, ids that nothing here can decode, words cut from text, or only counted. */
  readonly tokens: "decoded ids" | "ids" | "words" | "lengths";
  readonly tokenizer: string | null;
  readonly logprobs: readonly TraceLogprobs[];
  /** Answers that were cut off at the limit of tokens, null where no file says why any ended; and how many ended inside of what. */
  readonly cutOff: number | null;
  readonly leftOpen: readonly { readonly mark: string; readonly answers: number }[];
  /** Rows that could not be read: how many, and the first few. */
  readonly broken: { readonly count: number; readonly first: readonly BrokenRow[] };
  /** What cannot be shown, and what it would take. */
  readonly missing: readonly { readonly what: string; readonly why: string }[];
  /** What else is worth knowing: files that were left aside, markers of a template that were left as text. */
  readonly notes: readonly string[];
}

/** How somebody wants files to be read; what is left out is found by the reader. */
export interface TraceChoice {
  /** Columns by name, in other roles than they were taken for. */
  readonly columns?: Readonly<Record<string, { readonly role: TraceRole; readonly weight?: number | null }>>;
  /** The form, where another than the recognised one is meant. */
  readonly form?: string;
  /** Name of a tokenizer, or where its files were brought along. */
  readonly tokenizer?: string;
  /** How files are told apart by runs; and the name of the run that is shown, the first where left out. */
  readonly runs?: RunSplit;
  readonly run?: string;
}

/** How far the reading of files is. */
export interface TraceProgress {
  readonly doneBytes: number;
  readonly totalBytes: number;
  readonly rollouts: number;
}
