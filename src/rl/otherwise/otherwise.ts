// The same rollouts under every algorithm: what each would have pushed, token by token. Advantages and
// per-token weights come out of the functions the trainer itself runs (computeAdvantages, then
// tokenObjective), fed with what a step recorded. Only what a step cannot know of another algorithm is
// assumed, and every assumption is said.

import type { Catalog } from "../../protocol/catalog.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { areWhole, type GroupRecord, type TrajectoryRecord } from "../../protocol/records.ts";
import { turnSpans } from "../advantage/turnSpans.ts";
import { computeAdvantages } from "../advantages.ts";
import { usesCritic } from "../baselines/index.ts";
import { isKlOverRows } from "../kl/index.ts";
import { aggregationOf } from "../objective/aggregation.ts";
import { objectiveTotals } from "../objective/totals.ts";
import type { ObjectiveInput } from "../objective/types.ts";
import { tokenObjective } from "../objective.ts";
import { combineParts, overlongPart } from "../rewards/combineParts.ts";
import type { Reward } from "../types.ts";
import { type SwitchDifference, switchDifferences, underAlgorithm } from "./algorithmSwitches.ts";

/** One algorithm's view of a step. */
export interface UnderAlgorithm extends Pick<Otherwise, "weights_P_G_T" | "advantages_P_G_T" | "assumptions"> {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly isOwn: boolean;
  /** Weight switches that differ from the run's; empty for its own algorithm. */
  readonly differences: readonly SwitchDifference[];
}

/**
 * A step's rollouts under every algorithm, in the registry's order.
 * @param groups all groups of one step, in order. @param config the run's settings in force at that step.
 */
export function underAlgorithms(
  groups: readonly GroupRecord[],
  config: RunConfig,
  { algorithms, tasks }: Pick<Catalog, "algorithms" | "tasks">,
): readonly UnderAlgorithm[] {
  return algorithms.map((algorithm) => {
    const other = underAlgorithm(config, algorithm, algorithms);
    const { id, title, summary } = algorithm;
    const differences = switchDifferences(config, other, tasks);
    const { weights_P_G_T, advantages_P_G_T, assumptions } = otherwise(groups, other);
    return { id, title, summary, isOwn: other === config, differences, weights_P_G_T, advantages_P_G_T, assumptions };
  });
}

/** A completion's reward and its parts. */
export type Scored = Pick<Reward, "total" | "parts" | "turns">;

/**
 * What a configuration's advantages and objective make of a step's recorded rollouts, taken as one
 * optimizer batch in one piece. With one minibatch and any aggregation but micro-token-mean this is what
 * the trainer computes in its last inner epoch, up to the float32 rounding of records.
 * @param groups all groups of one step: batch statistics and token counts run over them.
 * @param rewards_Q the recorded ones where left out.
 */
export function otherwise(groups: readonly GroupRecord[], config: RunConfig, rewards_Q?: readonly Scored[]) {
  const trajectories = groups.flatMap((group) => group.trajectories);
  const assumptions: string[] = [];
  const batch = flatten(trajectories, config);
  const known = withRecorded(trajectories, config, batch.mask_K.length, assumptions);
  const { sequenceStart_Q, mask_K, oldLogprobs_K, logprobs_K, sampledEntropies_K, entropies_K } = batch;
  const { refLogprobs_K } = known;
  const scored_Q = rewards_Q ?? trajectories.map((trajectory) => rewardUnder(trajectory, config));
  const advantages = advantagesOf(groups, scored_Q, batch, known);
  // What others' log-probs and values would say is not there where they are bare: the recorded advantages say it.
  if (!areWhole(groups) && (config.klPlacement === "reward" || usesCritic(config)))
    advantages.advantages_K.set(trajectories.flatMap((trajectory) => atSampled(trajectory.channels.advantages ?? [], trajectory)));
  const input: ObjectiveInput = {
    logprobs_K,
    oldLogprobs_K,
    refLogprobs_K,
    entropies_K,
    mask_K,
    sequenceStart_Q,
    advantages_K: advantages.advantages_K,
    values_K: null,
    oldValues_K: null,
    returns_K: null,
    totals: objectiveTotals({ mask_K, sequenceStart_Q, entropies_K: sampledEntropies_K }, known.config),
  };
  const objective = tokenObjective(input, known.config);
  return {
    /** As far as the records support it. */
    config: known.config,
    input,
    advantages,
    objective,
    /** dLoss / dLog-prob of each completion token, 0 where it was inserted; negative pushes the token's probability up. */
    weights_P_G_T: atTokens(groups, objective.gradLogprobs_K),
    /** Advantage of each completion token. */
    advantages_P_G_T: atTokens(groups, advantages.advantages_K),
    /** What had to be assumed because the step did not record it, as sentences. */
    assumptions,
  };
}
/** One step under one configuration and one set of rewards. */
export type Otherwise = ReturnType<typeof otherwise>;

/** Values of the K sampled tokens of a step at the tokens of its completions; 0 where they were inserted. */
export function atTokens(groups: readonly GroupRecord[], values_K: ArrayLike<number>): readonly (readonly Float64Array[])[] {
  let k = 0;
  return groups.map((group) =>
    group.trajectories.map(({ sampled }) => Float64Array.from(sampled, (isSampled) => (isSampled ? values_K[k++]! : 0))),
  );
}

function advantagesOf(
  groups: readonly GroupRecord[],
  rewards_Q: readonly Scored[],
  { sequenceStart_Q, mask_K, oldLogprobs_K }: ReturnType<typeof flatten>,
  { config, refLogprobs_K, values_K }: ReturnType<typeof withRecorded>,
) {
  const trajectories = groups.flatMap((group) => group.trajectories);
  return computeAdvantages(
    {
      rewards_Q: rewards_Q.map(({ total }) => total),
      parts_Q: rewards_Q.map(({ parts }) => parts),
      ...turnSpans(
        trajectories.map(({ sampled, report }, q) => ({ mask: sampled, report, rewards: rewards_Q[q]!.turns })),
        sequenceStart_Q,
      ),
      groupOf_Q: Int32Array.from(groups.flatMap((group, index) => group.trajectories.map(() => index))),
      tokenCount_Q: trajectories.map((_, i) => sequenceStart_Q[i + 1]! - sequenceStart_Q[i]!),
      sequenceStart_Q,
      mask_K,
      oldLogprobs_K,
      refLogprobs_K,
      values_K,
      ...(config.bootstrapTruncated ? { bootstrap_Q: trajectories.map(({ bootstrap = 0 }) => bootstrap) } : {}),
    },
    config,
  );
}

/** Values at the tokens that the policy sampled. */
export function atSampled(values: readonly number[], { sampled }: TrajectoryRecord): readonly number[] {
  return values.filter((_, t) => sampled[t] === 1);
}

/** A step's recorded arrays, end to end: K sampled tokens of Q completions. */
function flatten(trajectories: readonly TrajectoryRecord[], config: RunConfig) {
  const sequenceStart_Q = new Int32Array(trajectories.length + 1);
  for (const [q, trajectory] of trajectories.entries()) {
    sequenceStart_Q[q + 1] = sequenceStart_Q[q]! + atSampled(trajectory.tokens, trajectory).length;
  }
  const join = (read: (trajectory: TrajectoryRecord) => readonly number[]) =>
    Float64Array.from(trajectories.flatMap((trajectory) => atSampled(read(trajectory), trajectory)));
  return {
    sequenceStart_Q,
    mask_K: Uint8Array.from(
      join(({ channels, stopReason }) =>
        config.maskTruncated && stopReason === "max-tokens" ? channels.mask.map(() => 0) : channels.mask,
      ),
    ),
    // Where either was not recorded the two are taken as equal, so that every ratio is 1.
    oldLogprobs_K: join(({ channels, tokens }) => channels.oldLogprobs ?? channels.trainLogprobs ?? tokens.map(() => 0)),
    logprobs_K: join(({ channels, tokens }) => channels.trainLogprobs ?? channels.oldLogprobs ?? tokens.map(() => 0)),
    sampledEntropies_K: joinWhole(trajectories, ({ channels }) => channels.sampledEntropies),
    entropies_K: joinWhole(trajectories, ({ channels }) => channels.trainEntropies),
  };
}

/** Values that a step may not have recorded, end to end; null where a completion lacks them. */
function joinWhole(
  trajectories: readonly TrajectoryRecord[],
  read: (trajectory: TrajectoryRecord) => readonly number[] | null,
): Float64Array | null {
  const rows = trajectories.map((trajectory) => {
    const row = read(trajectory);
    return row && atSampled(row, trajectory);
  });
  return rows.every((row) => row !== null) ? Float64Array.from(rows.flat() as number[]) : null;
}

/**
 * Reference log-probs and critic values where the step has them, and the configuration without what it cannot
 * support; says what is taken in their place.
 */
function withRecorded(trajectories: readonly TrajectoryRecord[], config: RunConfig, tokens: number, assumptions: string[]) {
  const old = isRecorded(trajectories, "oldLogprobs");
  const train = isRecorded(trajectories, "trainLogprobs");
  const isKlKnown = (old || train) && !isKlOverRows(config);
  const refLogprobs_K = isKlKnown ? joinWhole(trajectories, ({ channels }) => channels.refLogprobs) : null;
  let usable = config;
  if (!old || !train) assumptions.push(`This step has no log-probs ${lackedBy(old, train)}, so every ratio counts as 1.`);
  const tellsEntropies = trajectories.every(({ channels }) => channels.sampledEntropies && channels.trainEntropies);
  if (!tellsEntropies && (config.entropyCoef !== 0 || config.topEntropyQuantile < 1)) {
    usable = { ...usable, entropyCoef: 0, topEntropyQuantile: 1 };
    assumptions.push("This step recorded no entropies, so what acts on them (entropy bonus, top-entropy mask) is left out.");
  }
  if (config.klCoef > 0 && isKlOverRows(config)) {
    assumptions.push("Its exact KL acts on whole rows of logits rather than on sampled tokens, so it is no part of these weights.");
  } else if (config.klCoef > 0 && !refLogprobs_K) {
    usable = { ...usable, klCoef: 0 };
    assumptions.push("This step recorded no reference log-probs, so its KL term is left out.");
  }
  let values_K: Float64Array | null = null;
  if (usesCritic(config)) {
    values_K = joinWhole(trajectories, ({ channels }) => channels.values);
    if (!values_K) {
      values_K = new Float64Array(tokens);
      assumptions.push("This run has no critic, so every value is 0, as a critic would say that has learnt nothing.");
    }
  }
  if (aggregationOf(config).isOfPart) assumptions.push("The whole step counts as one micro-batch.");
  return { config: usable, refLogprobs_K, values_K };
}

const isRecorded = (trajectories: readonly TrajectoryRecord[], name: "oldLogprobs" | "trainLogprobs"): boolean =>
  trajectories.every(({ channels }) => channels[name] !== null);

function lackedBy(old: boolean, train: boolean): string {
  if (!old && !train) return "of its tokens";
  return old ? "of the policy as it was trained" : "of the policy as it sampled";
}

/** The reward with the overlong punishment of this configuration in place of the recorded one. */
export function rewardUnder(trajectory: TrajectoryRecord, config: RunConfig): Scored {
  const { reward, rewardParts, turnRewards, sampled } = trajectory;
  const recorded = rewardParts.find(({ name }) => name === "overlong");
  const overlong = overlongPart(sampled, config);
  const turns = turnRewards ? { turns: turnRewards } : {};
  if (reward === null || (recorded?.value ?? null) === (overlong?.value ?? null)) return { total: reward, parts: rewardParts, ...turns };
  const others = rewardParts.filter((part) => part !== recorded);
  const now = overlong?.value ?? 0;
  const clip = config.rewardClip;
  // What a clip took away is not in the total, but in the parts.
  const total = clip === 0 ? reward - (recorded?.value ?? 0) + now : combineParts(others, { gates: config.rewardGates, clip }, now);
  return { total, parts: overlong ? [...others, overlong] : others, ...turns };
}

/** How far recomputed weights are from the recorded ones, as a share of the largest recorded weight; null if that is 0 and they are too. */
export function recordedDifference(groups: readonly GroupRecord[], { weights_P_G_T }: Pick<Otherwise, "weights_P_G_T">): number | null {
  let largest = 0;
  let apart = 0;
  for (const [p, group] of groups.entries())
    for (const [g, { channels }] of group.trajectories.entries())
      for (const [t, recorded] of (channels.lossWeights ?? []).entries()) {
        largest = Math.max(largest, Math.abs(recorded));
        apart = Math.max(apart, Math.abs(recorded - weights_P_G_T[p]![g]![t]!));
      }
  if (apart === 0) return largest === 0 ? null : 0;
  return largest === 0 ? Number.POSITIVE_INFINITY : apart / largest;
}
