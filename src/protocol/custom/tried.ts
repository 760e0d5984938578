// What comes back when somebody looks at a task before anything is trained on it: how its conversations open, and what its
// environment answers to what they type.
import type { EnvReport } from "../envReport.ts";
import type { MessageRecord, RewardPartRecord } from "../records.ts";

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
