// Public names of what a run records and answers, and of rollouts that other programs wrote; index.ts hands them on.

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
