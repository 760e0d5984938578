// The record of one step, from the pieces its phases left behind.
import type { RunConfig } from "../protocol/config.ts";
import type { AdvantageResult } from "../rl/advantages.ts";
import { completionMetrics } from "../rl/metrics/completionMetrics.ts";
import { lossMetrics } from "../rl/metrics/lossMetrics.ts";
import { rewardMetrics } from "../rl/metrics/rewardMetrics.ts";
import { advantageMetrics, samplingMetrics, valueMetrics } from "../rl/metrics/tokenMetrics.ts";
import type { CriticOutcome } from "./critic.ts";
import { groupOfSequences, type SampledStep } from "./sampledStep.ts";
import type { UpdateOutcome } from "./updatePolicy.ts";

/** Times at which the phases of a step ended (ms, the host's clock). */
export interface StepTimes {
  readonly begun: number;
  sampled: number;
  scored: number;
  weighed: number;
  updated: number;
}

export interface StepCounts {
  /** Groups sampled for this step, those that dynamic sampling dropped included. */
  readonly sampledGroups: number;
  /** Rows of tokens the trainer has been through so far. */
  readonly tokensSeen: number;
}

function timeMetrics(sampled: SampledStep, times: StepTimes, optimizerPasses: number): Record<string, number> {
  const seconds = (from: number, to: number) => Math.max(0, to - from) / 1000;
  const rate = (tokens: number, time: number) => (time > 0 ? tokens / time : Number.NaN);
  const sampling = seconds(times.begun, times.sampled);
  const updating = seconds(times.weighed, times.updated);
  return {
    step_time: seconds(times.begun, times.updated),
    "time/sample": sampling,
    "time/score": seconds(times.sampled, times.scored),
    "time/advantage": seconds(times.scored, times.weighed),
    "time/update": updating,
    "perf/sample_tokens_per_second": rate(sampled.oldLogprobs_K.length, sampling),
    "perf/train_tokens_per_second": rate(sampled.batch.tokens_N.length * optimizerPasses, updating),
  };
}

/** All metrics of one step. */
export function stepMetrics(
  sampled: SampledStep,
  advantages: AdvantageResult,
  { update, critic }: { readonly update: UpdateOutcome; readonly critic: CriticOutcome | null },
  config: RunConfig,
  times: StepTimes,
  counts: StepCounts,
): Record<string, number> {
  const trajectories = sampled.groups.flatMap((group) => group.trajectories);
  const { mask_K } = sampled;
  return {
    ...lossMetrics(update.sums, config, update.optimizerSteps),
    ...rewardMetrics({
      rewards_Q: sampled.rewards_Q.map(({ total }) => total),
      parts_Q: sampled.rewards_Q.map(({ parts }) => parts),
      success_Q: sampled.rewards_Q.map(({ success }) => success),
      groupOf_Q: groupOfSequences(sampled),
    }),
    ...completionMetrics(
      trajectories.map(({ tokens }) => tokens.length),
      trajectories.map(({ stopReason }) => stopReason === "completed"),
    ),
    ...advantageMetrics(advantages.advantages_K, mask_K),
    ...samplingMetrics(update.firstLogprobs_K, sampled.oldLogprobs_K, mask_K),
    ...(sampled.values_K && advantages.returns_K ? valueMetrics(sampled.values_K, advantages.returns_K, mask_K) : {}),
    ...(critic ? { value_loss: critic.loss, "value/clip_ratio": critic.clippedShare, "loss/value": critic.loss } : {}),
    ...(update.exactKlNats === null ? {} : { kl: update.exactKlNats }),
    grad_norm: update.gradNorm,
    learning_rate: update.learningRate,
    num_tokens: counts.tokensSeen,
    ...(config.dynamicSampling ? { "sampling/extra_groups": counts.sampledGroups - sampled.groups.length } : {}),
    ...timeMetrics(sampled, times, config.innerEpochs),
  };
}
