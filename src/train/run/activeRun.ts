// One run while it is alive: its trainer and model, what it has recorded and what can be inspected.
import type { ModelState } from "../../model/model.ts";
import type { BaselineRecord, EvaluationRecord, ProbeRecord, StepRecord } from "../../protocol/records.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../../rl/types.ts";
import type { BuiltModel } from "../engine/buildTransformer.ts";
import type { Trainer } from "../step/trainer.ts";
import type { StepHistory } from "./stepHistory.ts";

/** The weights that a step was sampled with, and the moments beside them. */
export interface WeightsBefore {
  readonly step: number;
  readonly state: ModelState;
}

export interface ActiveRun extends BuiltModel {
  readonly runId: string;
  readonly trainer: Trainer;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  readonly steps: StepRecord[];
  readonly evaluations: EvaluationRecord[];
  readonly baselines: BaselineRecord[];
  readonly probes: ProbeRecord[];
  readonly history: StepHistory;
  /** It begins with weights of another run, which its configuration alone does not give: its save needs a checkpoint at once. */
  readonly isHandedOn: boolean;
  /** The weights of the newest step's sampling, while somebody watches; null where they were not kept. */
  before: WeightsBefore | null;
  /** What came out differently when steps were repeated; null where nothing did. */
  remark: string | null;
}

/** Frees the models of a run. */
export function disposeModels({ model, critic }: ActiveRun): void {
  model.dispose();
  critic?.dispose();
}
