// What the scalar objective reads about a minibatch besides the scores of the moment: everything that
// stays fixed while the policy moves. The update and the measurement of its gradient share it.
import type { PartialScores, SequenceRange } from "../../../model/backend.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { AdvantageResult } from "../../../rl/advantage/types.ts";
import { objectiveTotals } from "../../../rl/objective/totals.ts";
import type { ObjectiveInput } from "../../../rl/objective/types.ts";
import type { SampledStep } from "../sampledStep.ts";
import { gather, type Minibatch } from "./minibatch.ts";

/** The fixed values at a minibatch's tokens. */
export function fixedTokens(minibatch: Minibatch, step: SampledStep, advantages: AdvantageResult, config: RunConfig) {
  // The whole step as its only minibatch needs no copies: nothing here is written to.
  const at = <A extends Float32Array | Float64Array | Uint8Array>(values_K: A): A =>
    minibatch.batch === step.batch ? values_K : gather(values_K, minibatch.tokenOf_K);
  const mask_K = at(step.mask_K);
  return {
    old_K: at(step.oldLogprobs_K),
    ref_K: step.refLogprobs_K && at(step.refLogprobs_K),
    advantages_K: at(advantages.advantages_K),
    mask_K,
    oldValues_K: step.values_K && at(step.values_K),
    returns_K: advantages.returns_K && at(advantages.returns_K),
    totals: objectiveTotals(
      { mask_K, sequenceStart_Q: minibatch.batch.sequenceStart_Q, entropies_K: step.sampledEntropies_K && at(step.sampledEntropies_K) },
      config,
    ),
  };
}
export type FixedTokens = ReturnType<typeof fixedTokens>;

/** Entries from `first` up to `end`: the array itself where that is all of it, else a view. */
function view<A extends Float32Array | Float64Array | Uint8Array | Int32Array>(values: A, first: number, end: number): A {
  return first === 0 && end === values.length ? values : (values.subarray(first, end) as A);
}

/** The objective's input for one slice of a minibatch, with the critic's values where the scores have them. */
export function objectiveInput(
  minibatch: Minibatch,
  fixed: FixedTokens,
  { logprobs_K, entropies_K, values_K }: PartialScores,
  { firstSequence, lastSequence, firstToken }: SequenceRange,
): ObjectiveInput {
  const sequenceStart_Q = view(minibatch.batch.sequenceStart_Q, firstSequence, lastSequence + 1);
  const end = sequenceStart_Q[sequenceStart_Q.length - 1]!;
  const hasCritic = values_K !== null && fixed.oldValues_K !== null && fixed.returns_K !== null;
  return {
    logprobs_K,
    oldLogprobs_K: view(fixed.old_K, firstToken, end),
    refLogprobs_K: fixed.ref_K && view(fixed.ref_K, firstToken, end),
    entropies_K,
    advantages_K: view(fixed.advantages_K, firstToken, end),
    mask_K: view(fixed.mask_K, firstToken, end),
    sequenceStart_Q,
    values_K: hasCritic ? values_K : null,
    oldValues_K: hasCritic ? view(fixed.oldValues_K!, firstToken, end) : null,
    returns_K: hasCritic ? view(fixed.returns_K!, firstToken, end) : null,
    totals: fixed.totals,
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
