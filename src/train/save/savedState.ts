// What a save holds, as plain data: where training stands between two steps, and what was recorded.
import type { ModelState } from "../../model/model.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { LiveSettings } from "../../protocol/configFacts.ts";
import type { BaselineRecord, EvaluationRecord, ProbeRecord, StepRecord } from "../../protocol/records.ts";

/** Where training stands, beside the model. */
export interface TrainerState {
  readonly step: number;
  readonly random: readonly [number, number, number, number];
  readonly loader: number;
  /** Adaptive coefficients, by name. */
  readonly controllers: Readonly<Record<string, number>>;
}

/** All that the next step depends on, between two steps. */
export interface Checkpoint {
  readonly trainer: TrainerState;
  readonly model: ModelState;
  /** A critic with its own trunk; null without one. */
  readonly critic: ModelState | null;
}

/** What was recorded, in order; steps ascend. */
export interface RunHistory {
  readonly steps: readonly StepRecord[];
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
  readonly probes: readonly ProbeRecord[];
}

/**
 * A saved run. Steps that were recorded after the checkpoint are taken again when the run goes on: the same
 * configuration from the same place gives the same steps.
 */
export interface SavedState extends RunHistory {
  /** As of the last record, with every change on the way. */
  readonly config: RunConfig;
  /** Live settings in force at the checkpoint; later ones are among the changes. */
  readonly settings: LiveSettings;
  /** Null where the steps are taken again from the start. */
  readonly checkpoint: Checkpoint | null;
}

/** The last step that was recorded. */
export function lastStep({ steps, checkpoint }: Pick<SavedState, "steps" | "checkpoint">): number {
  return Math.max(steps.at(-1)?.step ?? 0, checkpoint?.trainer.step ?? 0);
}
