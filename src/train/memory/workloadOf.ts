// The largest requests that a run will make of its backend, from its configuration alone: completions as
// long as they may get, prompts as long as those of the first problems.

import type { PackedBatch, RolloutSize, Workload } from "../../model/backend.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { usesCritic } from "../../rl/baselines/index.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import { Random } from "../../rl/random.ts";
import { workOut } from "../../rl/rollout/demonstration.ts";
import { problemsAtOnce } from "../../rl/rollout/generator.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer } from "../../rl/types.ts";
import { heldOut } from "../evaluation.ts";
import { PROBES, probeBatch } from "../queries/probes.ts";
import { packGroups, type TokenGroup } from "../step/update/batch.ts";
import { cutGroups } from "../step/update/cutGroups.ts";

/** What the sizes of a run follow from beside its configuration. Lengths are in tokens. */
export interface ProblemSizes {
  readonly prompt: number;
  /** Of a worked example's answer. */
  readonly demonstration: number;
  /** Positions of the model behind the prompt. */
  readonly room: number;
  /** A worked conversation as a whole, the shortest of all. */
  readonly shortest: number;
  /** Held-out problems of an evaluation, and how often each is sampled. */
  readonly heldOut: number;
  readonly copies: number;
}

/** Problems looked at for their length. */
const LOOKED_AT = 16;
/** Positions of a model with random weights; the shipped one has as many. */
const MOST_POSITIONS = 2048;
/** Rows beyond which no backend computes more at once, whatever the micro-batch. */
const MOST_SCORED_ROWS = 8192;

/** The longest among a task's first problems, and the problems of an evaluation. */
export function problemSizes(task: TaskInstance, renderer: Renderer, config: RunConfig): ProblemSizes {
  const random = new Random(config.seed);
  const evaluated = heldOut(task, config);
  const limits = { maxTurns: task.maxTurns ?? 1, maxPositions: MOST_POSITIONS };
  const worked = task
    .trainLoader()
    .next(LOOKED_AT)
    .map((example, i) => workOut({ envs: task.envs, renderer }, example, task.demonstration(example, random, 0), i, limits));
  const longest = (lengths: readonly number[]) => lengths.reduce((most, length) => Math.max(most, length), 1);
  return {
    prompt: longest(worked.map(({ promptTokens }) => promptTokens.length)),
    demonstration: longest(worked.map(({ tokens }) => tokens.length)),
    room: MOST_POSITIONS,
    shortest: worked.reduce((least, { promptTokens, tokens }) => Math.min(least, promptTokens.length + tokens.length), MOST_POSITIONS),
    heldOut: evaluated.examples.length,
    copies: evaluated.copies,
  };
}

/** Tokens that all turns of a conversation may sample, where the model's context has room for them. */
export function mostSampled({ maxCompletionTokens }: RunConfig, { maxTurns = 1 }: TaskInstance): number {
  return Math.max(maxCompletionTokens, Math.min(maxCompletionTokens * maxTurns, MOST_POSITIONS));
}

const tokens = (count: number): number[] => new Array<number>(count).fill(0);

/** Groups of which one is like the other. */
function alikeGroups(count: number, prompt: number, copies: number, completion: number): readonly TokenGroup[] {
  const group = { promptTokens: tokens(prompt), completions: new Array<number[]>(copies).fill(tokens(completion)) };
  return new Array<TokenGroup>(count).fill(group);
}

const rowsOf = ({ promptTokens, completions }: TokenGroup): number =>
  promptTokens.length + completions.reduce((rows, { length }) => rows + length - 1, 0);

/** A batch of the first groups that have so many rows and one more, or of all. */
function packFirst(groups: readonly TokenGroup[], rows: number): PackedBatch {
  let last = 0;
  for (let packed = 0; last < groups.length && packed <= rows; last++) packed += rowsOf(groups[last]!);
  return packGroups(groups.slice(0, last + 1), 1);
}

interface Speakers extends Pick<Renderer, "stopTokens"> {
  readonly slots: readonly WeightSlot[];
}

/** Whether an agent plays the frozen start, whose weights are the reference's. */
const playsStart = ({ startAgents = [] }: TaskInstance): boolean => startAgents.length > 0;

function rolloutOf(problems: number, copies: number, prompt: number, newTokens: number, { stopTokens, slots }: Speakers): RolloutSize {
  return {
    slots,
    prompts: new Array<number[]>(problems).fill(tokens(prompt)),
    promptOf_B: Int32Array.from({ length: problems * copies }, (_, b) => Math.floor(b / copies)),
    expectedTokens: newTokens,
    stopTokens: stopTokens.length,
  };
}

/** The rollouts of a step and of an evaluation, which every run begins with. */
function rolloutsOf(
  config: RunConfig,
  task: TaskInstance,
  { stopTokens }: Renderer,
  { prompt, room, ...evaluated }: ProblemSizes,
): readonly RolloutSize[] {
  const { promptsPerStep, groupSize } = config;
  const { maxTurns = 1 } = task;
  const maxNewTokens = Math.min(mostSampled(config, task), room);
  const speakers: Speakers = { stopTokens, slots: playsStart(task) ? ["policy", "reference"] : ["policy"] };
  const evaluation = (copies: number) =>
    rolloutOf(
      Math.min(evaluated.heldOut, problemsAtOnce({ copies, maxNewTokens: config.maxCompletionTokens, maxTurns })),
      copies,
      prompt,
      maxNewTokens,
      speakers,
    );
  const step = config.kind === "supervised" ? [] : [rolloutOf(promptsPerStep, groupSize, prompt, maxNewTokens, speakers)];
  return [evaluation(1), evaluation(evaluated.copies), ...step];
}

/** What the policy's backend is asked, and what that of a critic with its own trunk is; null without one. */
export interface Workloads {
  readonly policy: Workload;
  readonly critic: Workload | null;
}

/** The largest of each kind of request of a run. */
export function workloadsOf(config: RunConfig, task: TaskInstance, renderer: Renderer, sizes: ProblemSizes): Workloads {
  const { microBatchTokens, groupSize, promptsPerStep, minibatches } = config;
  const { prompt, demonstration, room } = sizes;
  const rollouts = rolloutsOf(config, task, renderer, sizes);
  const rows = Math.max(microBatchTokens, MOST_SCORED_ROWS);
  // Probes answer one turn.
  const answered = { promptTokens: tokens(prompt), tokens: tokens(Math.min(config.maxCompletionTokens, room)) };
  const probed = probeBatch(new Array<typeof answered>(PROBES).fill(answered), renderer.vocabularySize, 1);
  if (config.kind === "supervised") {
    const updated = packFirst(alikeGroups(config.demonstrationsPerStep, prompt, 1, demonstration), rows);
    return {
      policy: { rollouts, scored: updated, scores: [], updated, probed, microBatchTokens, hasReference: playsStart(task) },
      critic: null,
    };
  }
  const batchOf = (copies: number) =>
    packFirst(cutGroups(alikeGroups(promptsPerStep, prompt, copies, Math.min(mostSampled(config, task), room)), microBatchTokens), rows);
  const scored = batchOf(groupSize);
  const updated = minibatches > 1 ? batchOf(Math.ceil(groupSize / minibatches)) : scored;
  const hasKl = config.klCoef > 0 || config.klTarget > 0;
  const hasReference = hasKl || playsStart(task);
  const hasCritic = usesCritic(config);
  const hasOwnCritic = hasCritic && config.criticTrunk === "own";
  const scoresPolicy = config.measureUpdate || config.topEntropyQuantile < 1 || (hasCritic && !hasOwnCritic);
  const scores = [...(scoresPolicy ? ["policy" as const] : []), ...(hasKl ? ["reference" as const] : [])];
  const shared = { scored, microBatchTokens };
  return {
    policy: { ...shared, rollouts, scores, updated, probed, hasReference },
    critic: hasOwnCritic ? { ...shared, rollouts: [], scores: ["policy"], updated: scored, probed: null, hasReference: false } : null,
  };
}
