// Everything known about each token of one completion, in one row per token. Ratio, clip state and KL
// are not formulas of this file: they come out of the objective the trainer itself runs, so that the
// inspector shows the engine's numbers.
import type { TrajectoryRecord } from "../../protocol/records.ts";
import type { ClipState } from "../../rl/objective/types.ts";
import { type ObjectiveConfig, tokenObjective } from "../../rl/objective.ts";

/** One token; null where a value was not measured (no reference, phase not reached, token not trained). */
export interface TokenFacts {
  readonly index: number;
  readonly id: number;
  readonly piece: string;
  readonly trained: boolean;
  /** Log-probabilities in nats: as sampled, after the update, under the reference. */
  readonly oldLogprob: number;
  readonly newLogprob: number | null;
  readonly refLogprob: number | null;
  readonly entropy: number | null;
  readonly advantage: number | null;
  readonly lossWeight: number | null;
  readonly criticValue: number | null;
  /** exp(train - old log-prob), or the sequence's one ratio where the objective uses that. */
  readonly ratio: number | null;
  readonly clipState: ClipState | null;
  readonly klNats: number | null;
}

/** Value at t, or null where the array is absent, too short or holds no number there. */
function at(values_T: readonly number[] | null, t: number): number | null {
  const value = values_T?.[t];
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function objectiveOf(trajectory: TrajectoryRecord, config: ObjectiveConfig) {
  const { channels } = trajectory;
  const T = trajectory.tokens.length;
  const complete = [channels.trainLogprobs, channels.entropies, channels.advantages, channels.mask];
  if (T === 0 || complete.some((values_T) => values_T.length < T)) return null;
  return tokenObjective(
    {
      logprobs_K: channels.trainLogprobs,
      oldLogprobs_K: channels.oldLogprobs,
      refLogprobs_K: channels.refLogprobs,
      entropies_K: channels.entropies,
      advantages_K: channels.advantages,
      mask_K: channels.mask,
      sequenceStart_Q: Int32Array.of(0, T),
      values_K: null,
      oldValues_K: null,
      returns_K: null,
      totals: { tokens: T, sequences: 1, entropyThreshold: Number.NEGATIVE_INFINITY, activeTokens: T },
    },
    config,
  );
}

/**
 * One row per completion token, in order. Before the update phase of a step, or without a configuration,
 * the values that depend on it are null.
 * @param updated whether the step has been through its update phase.
 */
export function tokenFacts(trajectory: TrajectoryRecord, config: ObjectiveConfig | null, updated = true): readonly TokenFacts[] {
  const { channels } = trajectory;
  const objective = config && updated ? objectiveOf(trajectory, config) : null;
  return trajectory.tokens.map((id, t): TokenFacts => {
    const trained = (channels.mask[t] ?? 0) !== 0;
    const derived = trained ? objective : null;
    return {
      index: t,
      id,
      piece: trajectory.pieces[t] ?? "",
      trained,
      oldLogprob: channels.oldLogprobs[t] ?? Number.NaN,
      newLogprob: updated ? at(channels.newLogprobs, t) : null,
      refLogprob: at(channels.refLogprobs, t),
      entropy: updated ? at(channels.entropies, t) : null,
      advantage: trained ? at(channels.advantages, t) : null,
      lossWeight: trained && updated ? at(channels.lossWeights, t) : null,
      criticValue: at(channels.values, t),
      ratio: derived ? derived.ratio_K[t]! : null,
      clipState: derived ? (derived.clipState_K[t]! as ClipState) : null,
      klNats: derived && channels.refLogprobs ? derived.klNats_K[t]! : null,
    };
  });
}

/** The clip state in words, with the bound that decided it. */
export function clipWords(state: ClipState, config: Pick<ObjectiveConfig, "surrogate" | "clipLow" | "clipHigh" | "cispoMax">): string {
  if (state === -1) return `clipped: ratio below 1 − ε = ${round(1 - config.clipLow)}, no push`;
  if (state === 1 && config.surrogate === "cispo") return `weight capped at ${round(config.cispoMax)}`;
  if (state === 1) return `clipped: ratio above 1 + ε = ${round(1 + config.clipHigh)}, no push`;
  if (state === 2) return "held by the two-sided bound or the dual clip, no push";
  return config.surrogate === "clip" || config.surrogate === "cispo" ? "not clipped" : `the ${config.surrogate} surrogate does not clip`;
}

function round(value: number): number {
  return Number(value.toPrecision(4));
}
