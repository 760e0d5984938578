// Public names for models, loops and hosts of one's own, and for metrics of other programs; index.ts hands them on.

// --- Models and policies

export type { Objective, OptimizerStep, PackedBatch, PartialScores, SequenceRange, TokenGradients, TokenScores } from "../model/backend.ts";
export type { FileParts, ModelFolder } from "../model/folder/modelFolder.ts";
export type {
  AnyModel,
  GradientRequest,
  KeptState,
  KnownLoss,
  Model,
  ModelSight,
  ModelState,
  PartialUpdate,
  StateElsewhere,
  UpdateRequest,
  UpdateResult,
} from "../model/model.ts";
export type { ModelServer, ServerAnswer, ServerRequest } from "../model/remote/server.ts";
export { TabularModel } from "../model/tabularModel.ts";
export type { TensorLayout, TensorSet, TensorSlice, TensorSpec, TensorValues } from "../model/tensors.ts";
export {
  type OpenRequest,
  type OpenSequences,
  type PartialSample,
  type Policy,
  type SampleRequest,
  type SampleResult,
  sampleCompletions,
  type TurnRequest,
  type WeightSlot,
} from "../rl/policy.ts";
export type { ModelSource } from "./openModel.ts";

// --- Loops of your own

export type { TurnSpan } from "../rl/advantage/turnSpans.ts";
export type { AdvantageConfig, AdvantageInput, AdvantageResult, AdvantageTerms, ComparedSpans } from "../rl/advantage/types.ts";
export { computeAdvantages } from "../rl/advantages.ts";
export { algorithms } from "../rl/algorithms/index.ts";
export type { ObjectiveSums } from "../rl/objective/sums.ts";
export type { ObjectiveInput, ObjectiveResult, ObjectiveTotals } from "../rl/objective/types.ts";
export { tokenObjective } from "../rl/objective.ts";
export { Random } from "../rl/random.ts";
export { type GenerateOptions, type GeneratorParts, generate } from "../rl/rollout/generator.ts";
export type { SamplingOptions } from "../rl/rollout/sampleToken.ts";
export type { ServerLoss } from "../rl/surrogates/surrogate.ts";
export { type EvaluationContext, evaluate } from "../train/evaluation.ts";
export { type GrpoParts, type GrpoSettings, type GrpoStep, grpo } from "../train/grpo.ts";
export { packGroups, type TokenGroup } from "../train/step/update/batch.ts";
export { configuredAlgorithm } from "./configuredAlgorithm.ts";
export {
  type Algorithm,
  type Generator,
  type JudgedStep,
  type TrainedStep,
  type TrainingParts,
  type TrainingSettings,
  trainParts,
} from "./trainParts.ts";

// --- Hosts, sandboxes and storage

export type { KernelHost, KernelThreadHandle } from "../kernels/wasm/kernelModule.ts";
export type { TfjsHost } from "../model/composed/tfjs.ts";
export type { FrameName } from "../rl/sandbox/frames.ts";
export type {
  FramedAnswer,
  FramedJob,
  Sandbox,
  SandboxAnswer,
  SandboxBatch,
  SandboxFailure,
  SandboxInput,
  SandboxJob,
} from "../rl/sandbox/jobs.ts";
export type { ContentReader } from "../rl/tasks/custom/world.ts";
export type {
  Additions,
  Clock,
  Computing,
  Hardware,
  Kept,
  OpenSave,
  OwnWork,
  RunStore,
  SaveChange,
  StoredSave,
  StoredSummary,
  UsageReader,
} from "../train/host.ts";

// --- Metrics for other programs

export { type FileChange, type LiveForm, type LiveWriter, type LoggedRow, type LoggedRun, liveForms } from "../export/live/liveForms.ts";
export { formLogger, type MetricsLogger } from "../export/live/metricsLogger.ts";
export type { Row } from "../export/metricsTable.ts";
