// The public names of the package, in one place: what is not here may change at any time. docs/library.md is
// made from this file by `npm run library:reference`, and a test fails where the two differ.

export type { Objective, OptimizerStep, PackedBatch, SequenceRange, TokenGradients, TokenScores } from "../model/backend.ts";
// --- models
export type { Model, ModelState, UpdateRequest, UpdateResult } from "../model/model.ts";
export { digitsRenderer } from "../model/renderers/digits.ts";
export { TabularModel } from "../model/tabularModel.ts";
export type { Command, CommandBody } from "../protocol/commands.ts";
export type { RunConfig, RunConfigInput } from "../protocol/config.ts";
export type { EnvReport } from "../protocol/envReport.ts";
export type { EngineEvent, ModelFile } from "../protocol/messages.ts";
export { InputError } from "../protocol/problems.ts";
export type { BaselineRecord, EvaluationRecord, RewardPartRecord, StepRecord } from "../protocol/records.ts";
export type { AdvantageConfig, AdvantageInput, AdvantageResult } from "../rl/advantage/types.ts";
export { computeAdvantages } from "../rl/advantages.ts";
// --- algorithms
export { algorithms } from "../rl/algorithms/index.ts";
export type { Dialogue, Reply } from "../rl/envs/dialogue.ts";
export { dialogueEnv } from "../rl/envs/dialogue.ts";
export { singleTurn } from "../rl/envs/singleTurn.ts";
export { toolEnv } from "../rl/envs/toolEnv.ts";
export type { GenerateOptions, GeneratorParts } from "../rl/generator.ts";
export { generate } from "../rl/generator.ts";
export type { ObjectiveConfig, ObjectiveInput, ObjectiveResult } from "../rl/objective/types.ts";
export { tokenObjective } from "../rl/objective.ts";
export type { OpenSequences, Policy, SampleRequest, SampleResult } from "../rl/policy.ts";
export { sampleCompletions } from "../rl/policy.ts";
export { Random } from "../rl/random.ts";
export { rewardRules } from "../rl/rewards/library/index.ts";
export type { LibraryRule } from "../rl/rewards/library/libraryRule.ts";
export { defineLibraryRule } from "../rl/rewards/library/libraryRule.ts";
export { sameAnswer } from "../rl/rewards/match/semanticMatch.ts";
export type { RewardRule } from "../rl/rewards/rewardRule.ts";
export { defineReward } from "../rl/rewards/rewardRule.ts";
export { weightedReward } from "../rl/rewards/weightedReward.ts";
// --- tasks, environments, tools and rewards
export { tasks } from "../rl/tasks/index.ts";
export type { Task, TaskInstance } from "../rl/tasks/task.ts";
export { defineTask } from "../rl/tasks/task.ts";
export type { Tool, ToolResult } from "../rl/tools/tool.ts";
export { defineTool } from "../rl/tools/tool.ts";
// --- messages, environments and tokens
export type {
  Action,
  DataLoader,
  Env,
  EnvBuilder,
  Example,
  Message,
  Renderer,
  Reward,
  RewardModel,
  RewardPart,
  State,
  ToolCall,
  ToolSpec,
  Trajectory,
  TrajectoryGroup,
} from "../rl/types.ts";
// --- configuration, commands and events
export { catalog } from "../train/catalog.ts";
export type { EvaluationContext } from "../train/evaluation.ts";
export { evaluate } from "../train/evaluation.ts";
export type { GrpoParts, GrpoSettings, GrpoStep } from "../train/grpo.ts";
export { grpo } from "../train/grpo.ts";
export type { Additions, Host, RunStore } from "../train/host.ts";
export type { TokenGroup } from "../train/step/update/batch.ts";
export { packGroups } from "../train/step/update/batch.ts";
export type { Judged } from "./judged.ts";
export type { OpenedModel } from "./openModel.ts";
export { openModel } from "./openModel.ts";
export type { ProblemTaskDefinition, QuestionAnswer } from "./problemTask.ts";
export { problemTask } from "./problemTask.ts";
export type { Engine } from "./startEngine.ts";
export { startEngine } from "./startEngine.ts";
export type { BestCheckpoint, TrainedRun, TrainOptions } from "./trainRun.ts";
// --- training
export { trainRun } from "./trainRun.ts";
