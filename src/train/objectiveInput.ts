// What the scalar objective reads about a minibatch besides the scores of the moment: everything that
// stays fixed while the policy moves. The update and the measurement of its gradient share it.
import type { SequenceRange, TokenScores } from "../model/backend.ts";
import type { RunConfig } from "../protocol/config.ts";
import type { AdvantageResult } from "../rl/advantages.ts";
import { type FixedInput, type ObjectiveInput, type ObjectiveTotals, objectiveTotals } from "../rl/objective.ts";
import { gather, type Minibatch } from "./minibatch.ts";
import type { SampledStep } from "./sampledStep.ts";

export interface FixedTokens {
  readonly old_K: Float32Array;
  readonly ref_K: Float32Array | null;
  readonly advantages_K: Float64Array;
  readonly mask_K: Uint8Array;
  readonly oldValues_K: Float32Array | null;
  readonly returns_K: Float64Array | null;
  readonly totals: ObjectiveTotals;
}

/** The fixed values at a minibatch's tokens. @param entropies_K of the whole step before its update; needed for the top-entropy mask only. */
export function fixedTokens(
  minibatch: Minibatch,
  step: SampledStep,
  advantages: AdvantageResult,
  config: RunConfig,
  entropies_K: Float32Array | null,
): FixedTokens {
  const { tokenOf_K } = minibatch;
  const mask_K = gather(step.mask_K, tokenOf_K);
  return {
    old_K: gather(step.oldLogprobs_K, tokenOf_K),
    ref_K: step.refLogprobs_K && gather(step.refLogprobs_K, tokenOf_K),
    advantages_K: gather(advantages.advantages_K, tokenOf_K),
    mask_K,
    oldValues_K: step.values_K && gather(step.values_K, tokenOf_K),
    returns_K: advantages.returns_K && gather(advantages.returns_K, tokenOf_K),
    totals: objectiveTotals(
      { mask_K, sequenceStart_Q: minibatch.batch.sequenceStart_Q, entropies_K: entropies_K && gather(entropies_K, tokenOf_K) },
      config,
    ),
  };
}

/** What stays fixed for one slice of a minibatch. */
export function fixedInput(
  minibatch: Minibatch,
  fixed: FixedTokens,
  { firstSequence, lastSequence, firstToken }: SequenceRange,
): FixedInput {
  const sequenceStart_Q = minibatch.batch.sequenceStart_Q.subarray(firstSequence, lastSequence + 1);
  const end = sequenceStart_Q.at(-1)!;
  const hasCritic = fixed.oldValues_K !== null && fixed.returns_K !== null;
  return {
    oldLogprobs_K: fixed.old_K.subarray(firstToken, end),
    refLogprobs_K: fixed.ref_K?.subarray(firstToken, end) ?? null,
    advantages_K: fixed.advantages_K.subarray(firstToken, end),
    mask_K: fixed.mask_K.subarray(firstToken, end),
    sequenceStart_Q,
    oldValues_K: hasCritic ? fixed.oldValues_K!.subarray(firstToken, end) : null,
    returns_K: hasCritic ? fixed.returns_K!.subarray(firstToken, end) : null,
    totals: fixed.totals,
  };
}

/** The objective's input for one slice of a minibatch, with the critic's values where the scores have them. */
export function objectiveInput(minibatch: Minibatch, fixed: FixedTokens, scores: TokenScores, range: SequenceRange): ObjectiveInput {
  const rest = fixedInput(minibatch, fixed, range);
  const critic = scores.values_K !== null && rest.oldValues_K !== null;
  return {
    ...rest,
    logprobs_K: scores.logprobs_K,
    entropies_K: scores.entropies_K,
    values_K: critic ? scores.values_K : null,
    oldValues_K: critic ? rest.oldValues_K : null,
    returns_K: critic ? rest.returns_K : null,
  };
}

/** Result arrays of the objective as the gradients a backend takes. */
export function tokenGradients(result: {
  readonly gradLogprobs_K: Float64Array;
  readonly gradEntropies_K: Float64Array | null;
  readonly gradValues_K: Float64Array | null;
}) {
  return {
    logprobs_K: new Float32Array(result.gradLogprobs_K),
    entropies_K: result.gradEntropies_K && new Float32Array(result.gradEntropies_K),
    values_K: result.gradValues_K && new Float32Array(result.gradValues_K),
  };
}

/** Weight of the exact KL over whole rows of logits, which is no part of the scalar objective. */
export function exactKlCoef(config: RunConfig): number {
  return config.klEstimator === "exact" && config.klPlacement === "loss" ? config.klCoef : 0;
}
