// One run while it is alive: its trainer and model, what it has recorded and what can be inspected.
import type { Model } from "../../model/model.ts";
import type { TransformerConfig } from "../../model/transformerConfig.ts";
import type { BackendReport } from "../../protocol/messages.ts";
import type { BaselineRecord, EvaluationRecord, StepRecord } from "../../protocol/records.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer, RewardModel } from "../../rl/types.ts";
import type { Trainer } from "../step/trainer.ts";
import type { StepHistory } from "./stepHistory.ts";

export interface ActiveRun {
  readonly runId: string;
  readonly trainer: Trainer;
  readonly model: Model;
  readonly critic: Model | null;
  readonly backend: BackendReport;
  /** Shape of the transformer; null for the tabular policy. */
  readonly transformer: TransformerConfig | null;
  readonly task: TaskInstance;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  readonly steps: StepRecord[];
  readonly evaluations: EvaluationRecord[];
  readonly baselines: BaselineRecord[];
  readonly history: StepHistory;
}
