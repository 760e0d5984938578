// Public names for tasks, tools, rewards and renderers of one's own; index.ts hands them on.

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
