// The trainer's own algorithms as the two functions of a loop of one's own: advantages and objective of a configuration.

import type { PartialScores, SequenceRange } from "../model/backend.ts";
import type { RunConfigInput } from "../protocol/config.ts";
import { InputError } from "../protocol/problems.ts";
import { computeAdvantages } from "../rl/advantages.ts";
import { algorithms } from "../rl/algorithms/index.ts";
import { usesCritic } from "../rl/baselines/index.ts";
import { isKlOverRows } from "../rl/kl/index.ts";
import { objectiveTotals } from "../rl/objective/totals.ts";
import { tokenObjective } from "../rl/objective.ts";
import { resolveConfig } from "../rl/resolveConfig.ts";
import { rewardRules } from "../rl/rewards/library/index.ts";
import { tasks } from "../rl/tasks/index.ts";
import { advantageInput } from "../train/step/sampledAdvantages.ts";
import { tokenGradients } from "../train/step/update/objectiveInput.ts";
import type { Algorithm, JudgedStep } from "./trainParts.ts";

/**
 * The algorithm that a configuration names with its switches: `algorithm`, credit, baseline, clip, KL and the like; what it says of
 * task, model and sizes is not read. Throws InputError for what a loop of one's own has no place for: a critic, and a
 * KL over the whole vocabulary.
 */
export function configuredAlgorithm(input: RunConfigInput): Algorithm {
  const config = resolveConfig(
    input,
    tasks.map(({ entry }) => entry),
    algorithms,
    rewardRules,
  );
  const refuse = (field: string, message: string) => new InputError([{ field, message }]);
  if (usesCritic(config))
    throw refuse(
      "advantageBaseline",
      `advantageBaseline must not be "${config.advantageBaseline}": trainRun trains one, a loop of parts has none`,
    );
  const usesReference = config.klCoef > 0;
  if (usesReference && isKlOverRows(config))
    throw refuse("klEstimator", `klEstimator must be one of sampled tokens in a loop of parts, got "${config.klEstimator}"`);
  return {
    usesReference,
    advantages: (step) =>
      computeAdvantages(advantageInput(step, config, { sequenceStart_Q: step.sequenceStart_Q, values_K: null }), config).advantages_K,
    objective(step, advantages_K, scores, range) {
      const { mask_K, sequenceStart_Q } = step;
      const totals = objectiveTotals({ mask_K, sequenceStart_Q, entropies_K: entropiesOf(step) }, config);
      const result = tokenObjective({ ...slice(step, advantages_K, scores, range), totals }, config);
      return { loss: result.loss, gradients: tokenGradients(result) };
    },
  };
}

/** As sampled; null where the policy told none. */
function entropiesOf({ trajectories_Q }: JudgedStep): Float32Array | null {
  return trajectories_Q.every(({ entropies }) => entropies !== null)
    ? Float32Array.from(trajectories_Q.flatMap(({ entropies }) => entropies!))
    : null;
}

/** What the objective reads of the sequences of a micro-batch. */
function slice(
  { sequenceStart_Q, oldLogprobs_K, refLogprobs_K, mask_K }: JudgedStep,
  advantages_K: ArrayLike<number>,
  { logprobs_K, entropies_K }: PartialScores,
  { firstSequence, lastSequence, firstToken }: SequenceRange,
) {
  const end = sequenceStart_Q[lastSequence]!;
  return {
    logprobs_K,
    entropies_K,
    values_K: null,
    oldValues_K: null,
    returns_K: null,
    sequenceStart_Q: sequenceStart_Q.subarray(firstSequence, lastSequence + 1),
    oldLogprobs_K: oldLogprobs_K.subarray(firstToken, end),
    refLogprobs_K: refLogprobs_K?.subarray(firstToken, end) ?? null,
    advantages_K: Float64Array.from({ length: end - firstToken }, (_, k) => advantages_K[firstToken + k]!),
    mask_K: mask_K.subarray(firstToken, end),
  };
}
