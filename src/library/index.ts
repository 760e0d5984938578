// The public names of the package: what is neither here nor in the files that are handed on below may change at any time.
// docs/library.md is made of them by `npm run library:reference`, section by section, and a test fails where the two differ.

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
export * from "./recordedNames.ts";
export * from "./taskNames.ts";
export * from "./trainingNames.ts";
