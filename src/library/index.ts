// The public names of the package, in one place: what is not here may change at any time. docs/library.md is
// made from this file by `npm run library:reference`, section by section, and a test fails where the two differ.

// --- Begin here

export type { RunConfigInput } from "../protocol/config.ts";
export { LabError } from "../protocol/problems.ts";
export { defineReward } from "../rl/rewards/rewardRule.ts";
export { defineTask } from "../rl/tasks/task.ts";
export { defineTool } from "../rl/tools/tool.ts";
export { catalog } from "../train/catalog.ts";
export type { Host } from "../train/host.ts";
export { type OpenedModel, openModel } from "./openModel.ts";
export { problemTask } from "./problemTask.ts";
export { type Engine, startEngine } from "./startEngine.ts";
export { type TrainedRun, type TrainOptions, trainRun } from "./trainRun.ts";

// --- Configuration, commands and events

export type {
  AlgorithmEntry,
  Catalog,
  CatalogEntry,
  CatalogReward,
  PresetEntry,
  RewardRuleEntry,
  TaskEntry,
  TaskFacts,
} from "../protocol/catalog.ts";
export type { Command, CommandBody, CommandOf, CommandType } from "../protocol/commands.ts";
export type { ConfigShape, FieldMark, KeysWith, LiveSettings, ObjectiveConfig } from "../protocol/config/configFacts.ts";
export type { FieldGroup } from "../protocol/config/field.ts";
export type { Field } from "../protocol/config/fields.ts";
export type { RunConfig, RunConfigKey } from "../protocol/config.ts";
export type { MemoryEstimate, MemoryPart, RunPart } from "../protocol/memory.ts";
export type {
  BackendReport,
  Done,
  EngineEvent,
  EventBodies,
  EventType,
  Failed,
  Findings,
  ModelFile,
  ModelReport,
  OpenedRun,
  Phase,
  Result,
  RunRecords,
  RunState,
  StepGroups,
  UpdatePart,
  UpdatePlace,
} from "../protocol/messages.ts";
export type { ErrorKind, Problem } from "../protocol/problems.ts";
export type { RunLabel } from "../protocol/run/runLabel.ts";
export type { HeldOf, RolloutExtent, RunDigest, RunParent, SaveSummary } from "../protocol/run/runSummary.ts";

// --- What a run records

export type {
  AdvantageArithmetic,
  BaselineRecord,
  CallReport,
  EnvReport,
  EvaluationRecord,
  FoundDocument,
  GroupRecord,
  GroupSummary,
  MessageRecord,
  ProbeAnswer,
  ProbeRecord,
  ProblemOutcomes,
  PromptRecord,
  RewardPartRecord,
  StepRecord,
  StopReason,
  TokenChannels,
  TrajectoryRecord,
  TurnReport,
  TurnView,
} from "../protocol/records.ts";
export type { Recorded } from "../protocol/zod.ts";
export { type Interval, passAtK } from "../rl/accuracy.ts";
export type { BestCheckpoint } from "./trainRun.ts";

// --- Rollouts of other programs, and all rollouts as a table

export type { ShownRecording } from "../protocol/messages.ts";
export type { ColumnCounts, TableAnswer, TableColumn, TableRow } from "../protocol/rollouts/rolloutTable.ts";
export type {
  AskedPlace,
  PairAnswer,
  PairedPrompt,
  PairMeasure,
  PairShow,
  PairSide,
  PairStep,
  PairTotal,
  PairValues,
} from "../protocol/rollouts/runPair.ts";
export type { BrokenRow, RunSplit, TraceColumn, TraceLogprobs, TraceReport, TraceRole, TraceRuns } from "../protocol/rollouts/traces.ts";

// --- What an engine is asked

export type {
  Alternatives,
  AnswerShare,
  Asked,
  AskedAnswer,
  AskedAnswers,
  Attribution,
  OtherwiseStep,
  Probed,
  ProbePrompt,
  PushShare,
  StepOnCopy,
} from "../protocol/asked.ts";
export type {
  PlayedConversation,
  PlayedTurn,
  PreviewedOpening,
  RunParts,
  TaskPreview,
  TriedAnswer,
  TriedStep,
} from "../protocol/custom/tried.ts";
export type { Alternative } from "../protocol/records.ts";

// --- Tasks, environments and tools

export type { QuestionAnswer } from "../rl/data/problemList.ts";
export { type Dialogue, dialogueEnv, type Reply, singleTurn } from "../rl/envs/dialogue.ts";
export { type ToolEnvOptions, toolEnv } from "../rl/envs/toolEnv.ts";
export type { Speaker } from "../rl/rollout/demonstration.ts";
export type { TaskWorld } from "../rl/tasks/custom/world.ts";
export { tasks } from "../rl/tasks/index.ts";
export type { RendererKind, Task, TaskDefinition, TaskInstance, TrainedTurn } from "../rl/tasks/task.ts";
export { type Ranked, rankDocuments } from "../rl/tools/bm25.ts";
export { calculate } from "../rl/tools/calculate.ts";
export { searchTool } from "../rl/tools/search.ts";
export type {
  ArgumentKind,
  ArgumentKinds,
  ArgumentSpec,
  ArgumentSpecs,
  ArgumentValue,
  Given,
  OptionalArguments,
  Tool,
  ToolDefinition,
  ToolResult,
} from "../rl/tools/tool.ts";
export type { Action, DataLoader, Env, EnvBuilder, Example, Failure, State, Stepped } from "../rl/types.ts";
export type { OwnTool } from "./ownTools.ts";
export type { ProblemTaskDefinition } from "./problemTask.ts";

// --- Rewards and judges

export type { Consent, RewardVerdict } from "../protocol/config/customRewards.ts";
export type { Judge, JudgeCost, JudgedFrom, JudgeModelReport, NamedJudge, TriedVerdict } from "../protocol/custom/judges.ts";
export type { JudgeInput, JudgeVerdict, Judging } from "../rl/judge/judge.ts";
export type { RewardTransform } from "../rl/rewards/combineParts.ts";
export type { GroupTransform, JudgedGroup, JudgedMember, TransformGroups } from "../rl/rewards/groupTransform.ts";
export { rewardRules } from "../rl/rewards/library/index.ts";
export { defineLibraryRule, type LibraryRule, type LibraryRuleDefinition, type PlainRule } from "../rl/rewards/library/libraryRule.ts";
export { lastBoxed, sameAnswer } from "../rl/rewards/match/semanticMatch.ts";
export type { Judged, RewardEntry, RewardRule, RuleDefinition } from "../rl/rewards/rewardRule.ts";
export { type Patience, rewardGroups, scoreGroups, weightedReward } from "../rl/rewards/weightedReward.ts";
export type {
  BatchPart,
  JudgedPart,
  LengthLimit,
  NamedPart,
  PartVerdict,
  Reward,
  RewardModel,
  RewardPart,
  Rollout,
  RulePart,
  SandboxedPart,
  SandboxedRule,
} from "../rl/types.ts";

// --- Conversations and tokens

export { createChatRenderer } from "../model/renderers/chat.ts";
export { digitsRenderer } from "../model/renderers/digits.ts";
export { createTokenizer, type Mark, type Tokenizer } from "../model/renderers/tokenizer.ts";
export type { Message, Renderer, Role, ToolCall, ToolSpec, Trajectory, TrajectoryGroup } from "../rl/types.ts";
export { type MessageTokens, messageTokens } from "./messageTokens.ts";

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
