// The record of one step, from the pieces its phases left behind.

import type { RunConfig } from "../../protocol/config.ts";
import type { JudgeCost } from "../../protocol/custom/judges.ts";
import type { AdvantageResult } from "../../rl/advantage/types.ts";
import { completionMetrics, endMetrics } from "../../rl/metrics/completionMetrics.ts";
import { lossMetrics } from "../../rl/metrics/lossMetrics.ts";
import { envMetrics, rewardMetrics } from "../../rl/metrics/rewardMetrics.ts";
import { advantageMetrics, samplingMetrics, surpriseMetrics, updateMetrics, valueMetrics } from "../../rl/metrics/tokenMetrics.ts";
import { endToEnd } from "../../rl/objective/types.ts";
import type { CriticOutcome } from "./critic.ts";
import type { SampledStep } from "./sampledStep.ts";
import { gather } from "./update/minibatch.ts";
import type { UpdateOutcome } from "./update/updatePolicy.ts";

/** Times at which the phases of a step ended (ms of work: waiting between phases is left out). */
export interface StepTimes {
  readonly begun: number;
  sampled: number;
  scored: number;
  advantaged: number;
  updated: number;
}

interface StepCounts {
  /** Groups sampled for this step, those that dynamic sampling dropped included. */
  readonly sampledGroups: number;
  /** Problems that had no room in the model's context. */
  readonly leftOut: number;
  /** Rows of tokens the trainer has been through so far. */
  readonly tokensSeen: number;
  /** What judges were asked; null where there are none. */
  readonly judged: JudgeCost | null;
}

/** Conversations put before judges, the share whose verdict was known already, and what finding the others took. */
function judgeMetrics({ asked, cached, tokens, seconds }: JudgeCost, into: Record<string, number>): void {
  into["judge/asked"] = asked;
  into["judge/cached"] = cached / asked;
  into["judge/tokens"] = tokens;
  into["judge/seconds"] = seconds;
}

function timeMetrics(sampled: SampledStep, times: StepTimes, optimizerPasses: number, into: Record<string, number>): void {
  const seconds = (from: number, to: number) => Math.max(0, to - from) / 1000;
  const rate = (tokens: number, time: number) => (time > 0 ? tokens / time : Number.NaN);
  const sampling = seconds(times.begun, times.sampled);
  const updating = seconds(times.advantaged, times.updated);
  into.step_time = seconds(times.begun, times.updated);
  into["time/sample"] = sampling;
  into["time/score"] = seconds(times.sampled, times.scored);
  into["time/advantage"] = seconds(times.scored, times.advantaged);
  into["time/update"] = updating;
  into["perf/sample_tokens_per_second"] = rate(sampled.oldLogprobs_K.length, sampling);
  into["perf/train_tokens_per_second"] = rate(sampled.batch.tokens_N.length * optimizerPasses, updating);
}

/** What was sampled and what it earns, before any update. */
export function answerMetrics({ groupOf_Q, trajectories_Q, rewards_P_G }: SampledStep, metrics: Record<string, number>): void {
  const rewards_Q = endToEnd(rewards_P_G);
  rewardMetrics(
    {
      rewards_Q: rewards_Q.map(({ total }) => total),
      parts_Q: rewards_Q.map(({ parts }) => parts),
      success_Q: rewards_Q.map(({ success }) => success),
      groupOf_Q,
    },
    metrics,
  );
  completionMetrics(
    trajectories_Q.map(({ logprobs }) => logprobs.length),
    trajectories_Q.map(({ stopReason }) => stopReason !== "max-tokens"),
    metrics,
  );
  endMetrics(
    trajectories_Q.map(({ stopReason, logprobs }) => ({ stopReason, sampledTokens: logprobs.length })),
    rewards_Q.map(({ total }) => total),
    metrics,
  );
  envMetrics(
    trajectories_Q.map(({ report }) => report?.metrics),
    metrics,
  );
}

/** All metrics of one step, in one record that every part writes into. */
export function stepMetrics(
  sampled: SampledStep,
  advantages: AdvantageResult,
  { update, critic }: { readonly update: UpdateOutcome; readonly critic: CriticOutcome | null },
  config: RunConfig,
  times: StepTimes,
  counts: StepCounts,
): Record<string, number> {
  const metrics: Record<string, number> = {};
  const { mask_K } = sampled;
  lossMetrics(update.sums, config, update.optimizerSteps, metrics);
  answerMetrics(sampled, metrics);
  advantageMetrics(advantages.advantages_K, mask_K, metrics);
  const { tokenOf_K, logprobs_K } = update.first;
  // A first minibatch that is the whole step has its tokens in their order.
  const isWhole = tokenOf_K.length === mask_K.length;
  const at = <A extends Float32Array | Uint8Array>(values_K: A): A => (isWhole ? values_K : gather(values_K, tokenOf_K));
  samplingMetrics(logprobs_K, at(sampled.oldLogprobs_K), at(mask_K), metrics);
  if (sampled.sampledEntropies_K) surpriseMetrics(sampled.sampledEntropies_K, sampled.oldLogprobs_K, mask_K, metrics);
  if (sampled.newLogprobs_K) updateMetrics(sampled.newLogprobs_K, sampled.oldLogprobs_K, mask_K, metrics);
  if (sampled.values_K && advantages.returns_K) valueMetrics(sampled.values_K, advantages.returns_K, mask_K, metrics);
  if (critic) {
    metrics.value_loss = critic.loss;
    metrics["value/clip_ratio"] = critic.clippedShare;
    metrics["loss/value"] = critic.loss;
  }
  if (update.exactKlNats !== null) metrics.kl = update.exactKlNats;
  if (update.gradNorm !== null) metrics.grad_norm = update.gradNorm;
  for (const [name, value] of Object.entries(update.told)) metrics[`server/${name}`] = value;
  metrics.learning_rate = update.learningRate;
  metrics.num_tokens = counts.tokensSeen;
  if (counts.judged) judgeMetrics(counts.judged, metrics);
  if (config.dynamicSampling) metrics["sampling/extra_groups"] = counts.sampledGroups - sampled.groups.length;
  if (counts.leftOut > 0) metrics["sampling/left_out"] = counts.leftOut;
  timeMetrics(sampled, times, config.innerEpochs, metrics);
  return metrics;
}
