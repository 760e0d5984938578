// What readers of other programs' rollouts make of their files, and what is shown of it: steps are read when they are asked for,
// so that a gigabyte opens on its first step.
import type { GroupRecord, StepRecord, StopReason } from "../protocol/records.ts";
import type { TraceReport } from "../protocol/rollouts/traces.ts";

/** A file by its path within what was dropped, of which parts can be read: a browser's File, and a Blob of a file in Node. */
export interface TraceFile {
  readonly path: string;
  readonly size: number;
  read(begin: number, end: number): Promise<Uint8Array>;
}

/** A prompt as two runs have it in common: equal ones have equal keys. */
export interface TracePrompt {
  readonly key: string;
  /** How its last question begins. */
  readonly begin: string;
}

/** One rollout in the index of all: what can be asked across steps without reading its text again. */
export interface TraceRow {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly reward: number | null;
  readonly advantage: number | null;
  /** Tokens of the answer, or its words where there are none. */
  readonly length: number;
  /** Null where the file does not say why it ended. */
  readonly stopReason: StopReason | null;
  /** Null where the file does not say whether it is right. */
  readonly success: boolean | null;
  /** Values of the reward parts, in the order of the report's rewardParts. */
  readonly parts: readonly (number | null)[];
  /** Place in the set's prompts; null where they were not asked for or the files do not say it. */
  readonly prompt: number | null;
}

/** Rollouts of a run that was made elsewhere. */
export interface TraceSet {
  readonly report: TraceReport;
  /** Curves: what the program logged beside its rollouts under this lab's names of metrics, and what rewards and lengths say. */
  readonly steps: readonly StepRecord[];
  /** Rollouts in the order of their steps and groups. */
  readonly rows: readonly TraceRow[];
  /** What was asked, each prompt once; empty where nobody wanted to know it. */
  readonly prompts: readonly TracePrompt[];
  /** The groups of a step, or those of these prompts. Rejects with a sentence where its files have changed or cannot be read. */
  groups(step: number, promptIndices?: readonly number[]): Promise<readonly GroupRecord[]>;
}
