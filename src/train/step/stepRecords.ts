// A sampled step as plain data for inspection: its groups with every token's values, and a line for each.
import type { GroupRecord, GroupSummary, MessageRecord, PromptRecord, TrajectoryRecord } from "../../protocol/records.ts";
import { summarize } from "../../rl/advantage/statistics.ts";
import type { AdvantageTerms } from "../../rl/advantage/types.ts";
import type { TaskInstance } from "../../rl/tasks/task.ts";
import type { Example, Message, Renderer, Trajectory, TrajectoryGroup } from "../../rl/types.ts";
import { tdErrors } from "./sampledAdvantages.ts";
import { type SampledStep, tokensOfStart } from "./sampledStep.ts";

function promptRecord(promptTokens: readonly number[], renderer: Renderer): PromptRecord {
  return { promptTokens, promptPieces: promptTokens.map((token) => renderer.piece(token)) };
}

/** Values of sampled tokens, one for each token of the completion; 0 at inserted ones. */
function spread(values_K: ArrayLike<number>, start: number, mask: readonly number[]): number[] {
  let k = start;
  return mask.map((sampled) => (sampled === 1 ? values_K[k++]! : 0));
}

function messageRecord({ role, content, agent, toolCalls, toolCallProblems }: Message): MessageRecord {
  return {
    role,
    content,
    ...(agent ? { agent } : {}),
    ...(toolCalls ? { toolCalls: toolCalls.map(({ id: _, ...call }) => call) } : {}),
    ...(toolCallProblems ? { toolCallProblems } : {}),
  };
}

/** The conversation, cut before the policy's first turn, and what its environment reports, where it does. */
function saidTurns(example: Example, { messages, mask, report }: Trajectory): Pick<TrajectoryRecord, "opening" | "messages" | "report"> {
  // Sampled tokens that follow inserted ones begin a turn.
  const turns = report?.turns.length ?? mask.filter((sampled, t) => sampled === 1 && mask[t - 1] !== 1).length;
  const first = messages.flatMap(({ role }, i) => (role === "assistant" ? [i] : [])).at(-turns);
  const opening = messages.slice(0, first);
  const isExample = opening.length === example.messages.length && opening.every((message, i) => message === example.messages[i]);
  return {
    ...(isExample ? {} : { opening: opening.map(messageRecord) }),
    messages: messages.slice(opening.length).map(messageRecord),
    ...(report ? { report } : {}),
  };
}

/** Nothing where no term has a value: before the phase, or where nothing could score. */
export function arithmeticOf(terms: AdvantageTerms | null, q: number): Pick<TrajectoryRecord, "arithmetic"> {
  if (!terms) return {};
  const { shift, spread } = terms;
  const from = terms.from_Q[q]!;
  const baseline = terms.baseline_Q[q]!;
  const scale = terms.scale_Q[q]!;
  const fade = terms.fade_Q[q]!;
  return Number.isFinite(from + fade) ? { arithmetic: { from, baseline, scale, fade, shift, spread } } : {};
}

function largestAdvantage({ advantages_K, batch, groupOf_Q }: SampledStep, group: number): number {
  let most = 0;
  for (let q = groupOf_Q.indexOf(group); groupOf_Q[q] === group; q++)
    for (let k = batch.sequenceStart_Q[q]!; k < batch.sequenceStart_Q[q + 1]!; k++) most = Math.max(most, Math.abs(advantages_K[k] ?? 0));
  return most;
}

function trajectoryRecord(
  step: SampledStep,
  q: number,
  group: TrajectoryGroup,
  member: number,
  task: TaskInstance,
  renderer: Renderer,
): TrajectoryRecord {
  const trajectory = group.trajectories[member]!;
  const { promptTokens, tokens, mask, stopReason, failure } = trajectory;
  const reward = step.rewards_P_G[step.groupOf_Q[q]!]?.[member];
  const start = step.batch.sequenceStart_Q[q]!;
  const minibatches = step.minibatches_Q[q] ?? [];
  const channel = (values_K: ArrayLike<number>) => spread(values_K, start, mask);
  // Of the frozen start the trained weights' scores say nothing: what it sampled with holds at any time.
  const fixed_T = tokensOfStart(step, trajectory, task);
  const oldLogprobs = channel(step.oldLogprobs_K);
  const logprobs = (values_K: ArrayLike<number>) => channel(values_K).map((value, t) => (fixed_T[t] ? oldLogprobs[t]! : value));
  const entropies_T = trajectory.entropies && spread(trajectory.entropies, 0, mask);
  const entropies = (values_K: ArrayLike<number>) =>
    channel(values_K).map((value, t) => (fixed_T[t] ? (entropies_T?.[t] ?? value) : value));
  return {
    ...(promptTokens === group.trajectories[0]!.promptTokens ? {} : { prompt: promptRecord(promptTokens, renderer) }),
    tokens,
    sampled: mask,
    pieces: tokens.map((token) => renderer.piece(token)),
    text: renderer.decode(tokens),
    stopReason,
    ...(failure === undefined ? {} : { failure }),
    ...saidTurns(group.example, trajectory),
    rewardParts: reward?.parts ?? [],
    reward: reward?.total ?? null,
    ...(reward?.turns ? { turnRewards: reward.turns } : {}),
    advantage: step.advantages_Q[q] ?? 0,
    ...arithmeticOf(step.advantageTerms, q),
    ...(step.bootstrap_Q?.[q] ? { bootstrap: step.bootstrap_Q[q] } : {}),
    ...(minibatches.length > 0 ? { minibatches } : {}),
    success: reward?.success ?? task.isSuccess(group.example, trajectory),
    channels: {
      oldLogprobs,
      trainLogprobs: logprobs(step.trainLogprobs_K),
      newLogprobs: step.newLogprobs_K && logprobs(step.newLogprobs_K),
      refLogprobs: step.refLogprobs_K && channel(step.refLogprobs_K),
      sampledEntropies: step.sampledEntropies_K && entropies(step.sampledEntropies_K),
      trainEntropies: step.trainEntropies_K && entropies(step.trainEntropies_K),
      advantages: channel(step.advantages_K),
      lossWeights: channel(step.lossWeights_K),
      mask: channel(step.mask_K),
      values: step.values_K && channel(step.values_K),
      ...(step.tdErrors_K ? { tdErrors: channel(step.tdErrors_K) } : {}),
    },
  };
}

/** One group of a step. Throws where there is none of that index. */
export function groupRecord(step: SampledStep, promptIndex: number, task: TaskInstance, renderer: Renderer): GroupRecord {
  const group = step.groups[promptIndex];
  if (!group) throw new Error(`promptIndex must be < ${step.groups.length}, got ${promptIndex}`);
  const first = step.groupOf_Q.indexOf(promptIndex);
  step.tdErrors_K ??= tdErrors(step);
  return {
    step: step.step,
    promptIndex,
    exampleId: group.example.id,
    messages: group.example.messages.map(messageRecord),
    ...promptRecord(group.trajectories[0]?.promptTokens ?? [], renderer),
    answer: group.example.answer,
    zeroSpread: step.zeroSpread_P[promptIndex] ?? false,
    trajectories: group.trajectories.map((_, member) => trajectoryRecord(step, first + member, group, member, task, renderer)),
  };
}

/** A line for each group: its prompt and how its rewards lie. */
export function groupSummaries(step: SampledStep): readonly GroupSummary[] {
  return step.groups.map((group, promptIndex) => {
    const rewards = step.rewards_P_G[promptIndex] ?? [];
    const { mean, std } = summarize(
      rewards.map(({ total }) => total ?? Number.NaN),
      "sample",
    );
    return {
      step: step.step,
      promptIndex,
      prompt: group.example.messages.findLast((message) => message.role === "user")?.content ?? "",
      meanReward: mean,
      rewardStd: std,
      successRate: rewards.filter(({ success }) => success).length / Math.max(1, rewards.length),
      largestAdvantage: largestAdvantage(step, promptIndex),
    };
  });
}
