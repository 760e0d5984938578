// Everything known about each token of one completion, in one row per token. Ratio, clip state and KL
// are not formulas of this file: they come out of the objective the trainer itself runs, so that the
// inspector shows the engine's numbers.
import type { ObjectiveConfig } from "../../../protocol/config/configFacts.ts";
import { PHASES, type Phase } from "../../../protocol/messages.ts";
import type { TrajectoryRecord } from "../../../protocol/records.ts";
import { RATIO_NOISE } from "../../../rl/objective/ratio.ts";
import type { ClipState } from "../../../rl/objective/types.ts";
import { tokenObjective } from "../../../rl/objective.ts";
import { surrogateOf } from "../../../rl/surrogates/index.ts";

/** Value at t, or null where the array is absent, too short or holds no number there. */
function at(values_T: readonly number[] | null, t: number): number | null {
  const value = values_T?.[t];
  return value === undefined || !Number.isFinite(value) ? null : value;
}

/** The objective over the completion's sampled tokens; null where values are missing. */
function objectiveOf({ channels, sampled }: TrajectoryRecord, config: ObjectiveConfig) {
  const kept = sampled.flatMap((isSampled, t) => (isSampled ? [t] : []));
  const K = kept.length;
  const { trainLogprobs, oldLogprobs, trainEntropies, advantages, mask } = channels;
  if (!trainLogprobs || !oldLogprobs || !advantages) return null;
  const complete = [trainLogprobs, ...(trainEntropies ? [trainEntropies] : []), advantages, mask];
  if (K === 0 || complete.some((values_T) => values_T.length < sampled.length)) return null;
  const pick = (values_T: readonly number[]) => kept.map((t) => values_T[t]!);
  return tokenObjective(
    {
      logprobs_K: pick(trainLogprobs),
      oldLogprobs_K: pick(oldLogprobs),
      refLogprobs_K: channels.refLogprobs && pick(channels.refLogprobs),
      entropies_K: trainEntropies && pick(trainEntropies),
      advantages_K: pick(advantages),
      mask_K: pick(channels.mask),
      sequenceStart_Q: Int32Array.of(0, K),
      values_K: null,
      oldValues_K: null,
      returns_K: null,
      totals: { tokens: K, sequences: 1, entropyThreshold: Number.NEGATIVE_INFINITY, activeTokens: K },
    },
    config,
  );
}

/** Train - old log-prob, which needs no settings. */
function logRatioAt({ trainLogprobs, oldLogprobs }: TrajectoryRecord["channels"], t: number): number | null {
  const train = at(trainLogprobs, t);
  const old = at(oldLogprobs, t);
  return train === null || old === null ? null : train - old;
}

/**
 * One row per completion token, in order. Before the advantage or the update phase of a step, or without a
 * configuration, the values that depend on it are null; of inserted tokens all values are.
 * @param reached the last phase that the step has come to.
 */
export function tokenFacts(trajectory: TrajectoryRecord, config: ObjectiveConfig | null, reached: Phase = "evaluate") {
  const isCompared = PHASES.indexOf(reached) >= PHASES.indexOf("advantage");
  const updated = PHASES.indexOf(reached) >= PHASES.indexOf("update");
  const { channels } = trajectory;
  const objective = config && updated ? objectiveOf(trajectory, config) : null;
  const isTrained = (t: number) => trajectory.sampled[t] === 1 && (channels.mask[t] ?? 0) !== 0;
  const gaps_T = trajectory.tokens.map((_, t) => (updated && isTrained(t) ? logRatioAt(channels, t) : null));
  const isApart = gaps_T.some((gap) => gap !== null && Math.abs(gap) > RATIO_NOISE);
  let nextSampled = 0;
  return trajectory.tokens.map((id, t) => {
    const sampled = trajectory.sampled[t] === 1;
    const k = sampled ? nextSampled++ : -1;
    const trained = isTrained(t);
    const gap = gaps_T[t] ?? null;
    const derived = trained ? objective : null;
    const value = (values_T: readonly number[] | null) => (sampled ? at(values_T, t) : null);
    return {
      index: t,
      id,
      piece: trajectory.pieces[t] ?? "",
      /** False for context that was inserted between two turns of the policy; it has no values. */
      sampled,
      trained,
      /** Log-probabilities in nats: as sampled, after the update, under the reference. */
      oldLogprob: value(channels.oldLogprobs),
      newLogprob: updated ? value(channels.newLogprobs) : null,
      refLogprob: value(channels.refLogprobs),
      /** False where the model tells no entropies of any token. */
      tellsEntropies: channels.sampledEntropies !== null || channels.trainEntropies !== null,
      /** Entropies in nats: of the distribution the token was drawn from, and in the last training forward. */
      sampledEntropy: value(channels.sampledEntropies),
      trainEntropy: updated ? value(channels.trainEntropies) : null,
      // Where only the completion's is known, each of its tokens has that.
      advantage: trained && isCompared ? (channels.advantages ? at(channels.advantages, t) : trajectory.advantage) : null,
      lossWeight: trained && updated ? at(channels.lossWeights, t) : null,
      criticValue: value(channels.values),
      tdError: trained && isCompared ? at(channels.tdErrors ?? null, t) : null,
      /** exp(train - old log-prob), or the sequence's one ratio where the objective uses that. */
      ratio: derived ? derived.ratio_K[k]! : config === null && gap !== null ? Math.exp(gap) : null,
      /** Train - old log-prob in nats, and whether it is more than rounding at any token of the completion. */
      trainerGap: gap,
      isApart,
      clipState: derived ? (derived.clipState_K[k]! as ClipState) : null,
      klNats: derived && channels.refLogprobs ? derived.klNats_K[k]! : null,
    };
  });
}
/** One token; null where a value was not measured (no reference, phase not reached, token not trained). */
export type TokenFacts = ReturnType<typeof tokenFacts>[number];

/** The clip state in words, with the bound that decided it. */
export function clipWords(state: ClipState, config: ObjectiveConfig): string {
  const { id, clipWords: words } = surrogateOf(config);
  return words ? words(state, config) : `the ${id} surrogate does not clip`;
}
