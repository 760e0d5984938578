// What a save holds, as plain data: where training stands between two steps, and what was recorded.
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord, ProbeRecord, StepRecord } from "../../protocol/records.ts";
import type { RunParent } from "../../protocol/run/runSummary.ts";
import type { Checkpoint } from "./checkpointFiles.ts";
import type { KeptCheckpoint } from "./kept/keptCheckpoints.ts";
import type { KeptStep } from "./kept/keptSteps.ts";

/** What was recorded, in order; steps ascend. */
export interface RunLog {
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  readonly probes: readonly ProbeRecord[];
}

/** What was recorded of a saved run, without its weights. */
export interface SavedRecords extends RunLog {
  /** As of the last record, with every change on the way. */
  readonly config: RunConfig;
  /** Live settings in force at the checkpoint; later ones are among the changes. */
  readonly settings: LiveSettings;
  /** The run that it was forked or copied from, or began with the weights of. */
  readonly parent?: RunParent;
  /** What computed it when it was saved; left out where no kernels did. */
  readonly backend?: Pick<BackendReport, "kernelBuild">;
  /** Steps whose rollouts are kept, ascending. */
  readonly kept: readonly KeptStep[];
  /** Names of files of kept rollouts that were left out, since they are damaged or not there. */
  readonly lost?: readonly string[];
}

/**
 * A saved run. Steps that were recorded after the checkpoint are taken again when the run goes on: the same
 * configuration from the same place gives the same steps.
 */
export interface SavedState extends SavedRecords {
  /** Null where the steps are taken again from the start. */
  readonly checkpoint: Checkpoint | null;
  /** Those that are kept beside it, ascending in step; left out where there are none. */
  readonly checkpoints?: readonly KeptCheckpoint[];
}

/** The last step that was recorded. */
export function lastStep({ steps, checkpoint }: Pick<SavedState, "steps" | "checkpoint">): number {
  return Math.max(steps.at(-1)?.step ?? 0, checkpoint?.trainer.step ?? 0);
}

/** Throws where records do not ascend in step. */
export function checkAscending(records: readonly { readonly step: number }[], what: string): void {
  for (let i = 1; i < records.length; i++) {
    const before = records[i - 1]!.step;
    const here = records[i]!.step;
    if (here <= before) throw new Error(`${what} must ascend in step, got ${here} after ${before}`);
  }
}
