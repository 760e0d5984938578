// What comes back when somebody looks at a task before anything is trained on it: how its conversations open, what its
// environment answers to what they type, and what the first step's answers would earn.
import type { RunConfig } from "../config.ts";
import type { EnvReport, MessageRecord, RewardPartRecord, StepRecord } from "../records.ts";

/** How one problem opens. */
export interface PreviewedOpening {
  readonly messages: readonly MessageRecord[];
  readonly answer: string;
  /** The opening token by token, as the model reads it. */
  readonly pieces: readonly string[];
}

/** A task looked at. */
export interface TaskPreview {
  /** How many problems are trained on and held out; null where they are drawn without end. */
  readonly training: number | null;
  readonly heldOut: number | null;
  readonly openings: readonly PreviewedOpening[];
  /** Tools as the policy is told of them. */
  readonly tools: readonly {
    readonly name: string;
    readonly description: string;
    readonly parameters: Readonly<Record<string, unknown>>;
  }[];
}

/** What somebody says in the policy's place. */
export interface PlayedTurn {
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
}

/** A conversation played by hand, as far as it has come. */
export interface PlayedConversation {
  readonly messages: readonly MessageRecord[];
  readonly answer: string;
  readonly isOver: boolean;
  /** Why it was ended, where it did not end by itself. */
  readonly ended: string | null;
  readonly report: EnvReport | null;
  /** What it earns, once it is over. */
  readonly rewardParts: readonly RewardPartRecord[];
  readonly reward: number | null;
}

/** One answer of a tried step, and what it earns. */
export interface TriedAnswer {
  /** The last user message of its problem. */
  readonly question: string;
  readonly text: string;
  /** Null where nothing could score it. */
  readonly reward: number | null;
  readonly rewardParts: readonly RewardPartRecord[];
  /** The completion limit cut it off. */
  readonly isCut: boolean;
}

/** The first step of a run that nobody has started, sampled and judged on a copy which is then thrown away. */
export interface TriedStep {
  /** Groups, and answers in each: those of the run's own step, or fewer where the model is large. */
  readonly prompts: number;
  readonly groupSize: number;
  /** Whether these are the very answers of the run's first step, not fewer. */
  readonly isWhole: boolean;
  /** Answers that could be scored, and those of them that earn more than 0. */
  readonly scored: number;
  readonly earning: number;
  /** Under the names of a run's metrics. */
  readonly metrics: StepRecord["metrics"];
  /** A few answers of each of the first groups: the best and the worst of them. */
  readonly examples: readonly TriedAnswer[];
  readonly seconds: RunParts;
}

/** What the parts of a run take (s). */
export interface RunParts {
  readonly preparation: number;
  readonly evaluation: number;
  readonly step: number;
}

/** What a whole run takes, with its evaluations, that of the start included (s); null where it has no last step. */
export function runSeconds(
  { evalEvery, steps }: Pick<RunConfig, "evalEvery" | "steps">,
  { preparation, evaluation, step }: RunParts,
): number | null {
  if (steps === 0) return null;
  return preparation + (1 + (evalEvery === 0 ? 0 : Math.ceil(steps / evalEvery))) * evaluation + steps * step;
}
