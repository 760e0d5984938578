// Everything one step sampled and learnt about its tokens, phase by phase. Arrays over tokens are in
// the order of the packed batch: sequence by sequence, K tokens in all.
import type { PackedBatch } from "../../model/backend.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { Phase } from "../../protocol/messages.ts";
import type { GroupRecord, GroupSummary, TrajectoryRecord } from "../../protocol/records.ts";
import { consecutiveSubarrays } from "../../rl/subarrays.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Renderer, Reward, Trajectory, TrajectoryGroup } from "../../rl/types.ts";
import { packGroups, type TokenGroup } from "./batch.ts";
import { cutGroups } from "./cutGroups.ts";

export interface SampledStep {
  readonly step: number;
  /** Settings it was taken under, adapted coefficients included. */
  readonly config: RunConfig;
  /** Last phase that has filled its values in. */
  phase: Phase;
  readonly groups: readonly TrajectoryGroup[];
  readonly batch: PackedBatch;
  readonly oldLogprobs_K: Float32Array;
  rewards_Q: readonly Reward[];
  refLogprobs_K: Float32Array | null;
  advantages_Q: Float64Array;
  advantages_K: Float64Array;
  mask_K: Uint8Array;
  zeroSpread_G: readonly boolean[];
  trainLogprobs_K: Float32Array;
  entropies_K: Float32Array;
  lossWeights_K: Float32Array;
  newLogprobs_K: Float32Array | null;
  values_K: Float32Array | null;
}

/** The token ids of sampled groups. */
export function tokenGroups(groups: readonly TrajectoryGroup[]): readonly TokenGroup[] {
  return groups.map(({ trajectories }) => ({
    promptTokens: trajectories[0]?.promptTokens ?? [],
    completions: trajectories.map(({ tokens }) => tokens),
  }));
}

/** A step that has only been sampled. */
export function newSampledStep(step: number, groups: readonly TrajectoryGroup[], config: RunConfig): SampledStep {
  const batch = packGroups(cutGroups(tokenGroups(groups), config.microBatchTokens), config.temperature);
  const tokens = batch.scoreTarget_K.length;
  const nextFloat32 = consecutiveSubarrays(new Float32Array(3 * tokens));
  const oldLogprobs_K = nextFloat32(tokens);
  let k = 0;
  for (const group of groups) {
    for (const { logprobs } of group.trajectories) for (const logprob of logprobs) oldLogprobs_K[k++] = logprob;
  }
  return {
    step,
    config,
    phase: "sample",
    groups,
    batch,
    oldLogprobs_K,
    rewards_Q: [],
    refLogprobs_K: null,
    advantages_Q: new Float64Array(batch.sequenceStart_Q.length - 1),
    advantages_K: new Float64Array(tokens),
    mask_K: new Uint8Array(tokens).fill(1),
    zeroSpread_G: groups.map(() => false),
    trainLogprobs_K: oldLogprobs_K,
    entropies_K: nextFloat32(tokens),
    lossWeights_K: nextFloat32(tokens),
    newLogprobs_K: null,
    values_K: null,
  };
}

/** Group of each sequence. */
export function groupOfSequences(step: SampledStep): Int32Array {
  const groupOf_Q = new Int32Array(step.batch.sequenceStart_Q.length - 1);
  let q = 0;
  for (const [index, { trajectories }] of step.groups.entries()) {
    groupOf_Q.fill(index, q, q + trajectories.length);
    q += trajectories.length;
  }
  return groupOf_Q;
}

/** Trajectory of each sequence. */
export function trajectoriesOf(step: SampledStep): readonly Trajectory[] {
  return step.groups.flatMap((group) => group.trajectories);
}

/** First sequence of each group, plus the number of sequences. */
function groupStarts(step: SampledStep): readonly number[] {
  const starts = [0];
  for (const group of step.groups) starts.push(starts.at(-1)! + group.trajectories.length);
  return starts;
}

function slice(values_K: ArrayLike<number>, start: number, end: number): number[] {
  return Array.prototype.slice.call(values_K, start, end) as number[];
}

function trajectoryRecord(
  step: SampledStep,
  q: number,
  group: TrajectoryGroup,
  index: number,
  task: TaskInstance,
  renderer: Renderer,
): TrajectoryRecord {
  const trajectory = group.trajectories[index]!;
  const start = step.batch.sequenceStart_Q[q]!;
  const end = step.batch.sequenceStart_Q[q + 1]!;
  const reward = step.rewards_Q[q];
  return {
    tokens: trajectory.tokens,
    pieces: trajectory.tokens.map((token) => renderer.piece(token)),
    text: renderer.decode(trajectory.tokens),
    stopReason: trajectory.stopReason,
    rewardParts: reward?.parts ?? [],
    reward: reward?.total ?? null,
    advantage: step.advantages_Q[q] ?? 0,
    success: reward?.success ?? task.isSuccess(group.example, trajectory),
    channels: {
      oldLogprobs: slice(step.oldLogprobs_K, start, end),
      trainLogprobs: slice(step.trainLogprobs_K, start, end),
      newLogprobs: step.newLogprobs_K && slice(step.newLogprobs_K, start, end),
      refLogprobs: step.refLogprobs_K && slice(step.refLogprobs_K, start, end),
      entropies: slice(step.entropies_K, start, end),
      advantages: slice(step.advantages_K, start, end),
      lossWeights: slice(step.lossWeights_K, start, end),
      mask: slice(step.mask_K, start, end),
      values: step.values_K && slice(step.values_K, start, end),
    },
  };
}

/** One group of a step as plain data for inspection. */
export function groupRecord(step: SampledStep, promptIndex: number, task: TaskInstance, renderer: Renderer): GroupRecord {
  const group = step.groups[promptIndex];
  if (!group) throw new Error(`promptIndex must be < ${step.groups.length}, got ${promptIndex}`);
  const first = groupStarts(step)[promptIndex]!;
  const promptTokens = group.trajectories[0]?.promptTokens ?? [];
  return {
    step: step.step,
    promptIndex,
    exampleId: group.example.id,
    messages: group.example.messages.map(({ role, content, agent }) => ({ role, content, ...(agent ? { agent } : {}) })),
    promptTokens,
    promptPieces: promptTokens.map((token) => renderer.piece(token)),
    answer: group.example.answer,
    zeroSpread: step.zeroSpread_G[promptIndex] ?? false,
    trajectories: group.trajectories.map((_, index) => trajectoryRecord(step, first + index, group, index, task, renderer)),
  };
}

/** A line for each group: its prompt and how its rewards lie. */
export function groupSummaries(step: SampledStep): readonly GroupSummary[] {
  const starts = groupStarts(step);
  return step.groups.map((group, promptIndex) => {
    const rewards = step.rewards_Q.slice(starts[promptIndex], starts[promptIndex + 1]);
    const totals = rewards.flatMap(({ total }) => (total === null ? [] : [total]));
    const mean = totals.reduce((sum, total) => sum + total, 0) / Math.max(1, totals.length);
    const variance = totals.reduce((sum, total) => sum + (total - mean) ** 2, 0) / Math.max(1, totals.length - 1);
    return {
      step: step.step,
      promptIndex,
      prompt: group.example.messages.findLast((message) => message.role === "user")?.content ?? "",
      meanReward: mean,
      rewardStd: Math.sqrt(variance),
      successRate: rewards.filter(({ success }) => success).length / Math.max(1, rewards.length),
    };
  });
}
