// The update half of a step: inner epochs over the same rollouts, each cut into minibatches that take
// one optimizer step. From the second step on, ratios leave 1 and clipping begins to act.
import type { Objective } from "../model/backend.ts";
import type { RunConfig } from "../protocol/config.ts";
import type { AdvantageResult } from "../rl/advantages.ts";
import { addSums, emptySums, type ObjectiveSums, type ObjectiveTotals, objectiveTotals, tokenObjective } from "../rl/objective.ts";
import { learningRateAt } from "../rl/schedule.ts";
import { gather, type Minibatch, splitMinibatches, wholeBatch } from "./minibatch.ts";
import { optimizerStep } from "./optimizerStep.ts";
import type { TrainerParts } from "./reinforcement.ts";
import type { SampledStep } from "./sampledStep.ts";
import { NonFiniteError, type OnProgress } from "./trainer.ts";

export interface UpdateOutcome {
  /** Sums over all optimizer steps of the update. */
  readonly sums: ObjectiveSums;
  /** Loss of the first and mean over all optimizer steps. */
  readonly loss: number;
  readonly gradNorm: number;
  readonly learningRate: number;
  readonly optimizerSteps: number;
  /** KL to the reference summed over the vocabulary; null where it is estimated from samples. */
  readonly exactKlNats: number | null;
  /** Log-probs of the training forward before anything of this update was applied, as far as the first pass saw them. */
  readonly firstLogprobs_K: Float32Array;
}

/** Everything about a minibatch's tokens that stays fixed while the policy moves. */
interface FixedTokens {
  readonly old_K: Float32Array;
  readonly ref_K: Float32Array | null;
  readonly advantages_K: Float64Array;
  readonly mask_K: Uint8Array;
  readonly oldValues_K: Float32Array | null;
  readonly returns_K: Float64Array | null;
  readonly totals: ObjectiveTotals;
}

function fixedTokens(
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
    totals: objectiveTotals({ mask_K, sequenceStart_Q: minibatch.batch.sequenceStart_Q, entropies_K }, config),
  };
}

/** The scalar objective over slices of one minibatch; keeps what the inspector shows of every token. */
function objectiveOver(minibatch: Minibatch, fixed: FixedTokens, config: RunConfig, step: SampledStep, sums: ObjectiveSums): Objective {
  return (scores, { firstSequence, lastSequence, firstToken }) => {
    const end = firstToken + scores.logprobs_K.length;
    const critic = scores.values_K !== null && fixed.oldValues_K !== null && fixed.returns_K !== null;
    const result = tokenObjective(
      {
        logprobs_K: scores.logprobs_K,
        oldLogprobs_K: fixed.old_K.subarray(firstToken, end),
        refLogprobs_K: fixed.ref_K?.subarray(firstToken, end) ?? null,
        entropies_K: scores.entropies_K,
        advantages_K: fixed.advantages_K.subarray(firstToken, end),
        mask_K: fixed.mask_K.subarray(firstToken, end),
        sequenceStart_Q: minibatch.batch.sequenceStart_Q.subarray(firstSequence, lastSequence + 1),
        values_K: critic ? scores.values_K : null,
        oldValues_K: critic ? fixed.oldValues_K!.subarray(firstToken, end) : null,
        returns_K: critic ? fixed.returns_K!.subarray(firstToken, end) : null,
        totals: fixed.totals,
      },
      config,
    );
    addSums(sums, result.sums);
    for (let k = 0; k < scores.logprobs_K.length; k++) {
      const token = minibatch.tokenOf_K[firstToken + k]!;
      step.trainLogprobs_K[token] = scores.logprobs_K[k]!;
      step.entropies_K[token] = scores.entropies_K[k]!;
      step.lossWeights_K[token] = result.gradLogprobs_K[k]!;
    }
    // A loss that is not a number must not move the weights: a gradient that is not either is refused.
    if (!Number.isFinite(result.loss)) result.gradLogprobs_K.fill(Number.NaN);
    return {
      logprobs_K: Float32Array.from(result.gradLogprobs_K),
      entropies_K: result.gradEntropies_K && Float32Array.from(result.gradEntropies_K),
      values_K: result.gradValues_K && Float32Array.from(result.gradValues_K),
    };
  };
}

/** Improves the policy on a weighed step. Throws NonFiniteError with the weights still good. */
export async function updatePolicy(
  parts: TrainerParts,
  config: RunConfig,
  step: SampledStep,
  advantages: AdvantageResult,
  stepsBefore: number,
  onProgress: OnProgress,
): Promise<UpdateOutcome> {
  const { model, random } = parts;
  const learningRate = learningRateAt(stepsBefore, config);
  const sums = emptySums();
  const total = config.innerEpochs * config.minibatches;
  const entropiesBefore_K = config.topEntropyQuantile < 1 ? (await model.score(step.batch, "policy")).entropies_K : null;
  const tokenGroups = step.groups.map((group) => ({
    promptTokens: group.trajectories[0]?.promptTokens ?? [],
    completions: group.trajectories.map(({ tokens }) => tokens),
  }));
  step.trainLogprobs_K = step.oldLogprobs_K.slice();
  let done = 0;
  let gradNorm = 0;
  let exactKlNats: number | null = null;
  const firstLogprobs_K = step.oldLogprobs_K.slice();
  for (let epoch = 0; epoch < config.innerEpochs; epoch++) {
    const cuts = config.minibatches > 1 ? splitMinibatches(tokenGroups, step.batch, config.minibatches, random) : [wholeBatch(step.batch)];
    for (const minibatch of cuts) {
      onProgress("update", done, total);
      const fixed = fixedTokens(minibatch, step, advantages, config, entropiesBefore_K && gather(entropiesBefore_K, minibatch.tokenOf_K));
      const result = await model.update({
        batch: minibatch.batch,
        objective: objectiveOver(minibatch, fixed, config, step, sums),
        exactKlCoef: config.klEstimator === "exact" && config.klPlacement === "loss" ? config.klCoef : 0,
        optimizer: optimizerStep(config, learningRate),
        microBatchTokens: config.microBatchTokens,
      });
      const loss = sums.policyLoss + sums.klLoss + sums.entropyLoss + sums.valueLoss;
      if (!Number.isFinite(result.gradNorm) || !Number.isFinite(loss)) {
        throw new NonFiniteError(
          `the loss of step ${step.step} is ${loss} with gradient norm ${result.gradNorm}: the update was refused and the weights before it are kept`,
        );
      }
      // Only before the first optimizer step does the policy differ from the sampler's by rounding alone.
      if (done === 0) for (const [k, token] of minibatch.tokenOf_K.entries()) firstLogprobs_K[token] = result.scores.logprobs_K[k]!;
      exactKlNats ??= result.exactKlNats;
      gradNorm += result.gradNorm;
      done += 1;
    }
  }
  const loss = (sums.policyLoss + sums.klLoss + sums.entropyLoss + sums.valueLoss) / done;
  return { sums, loss, gradNorm: gradNorm / done, learningRate, optimizerSteps: done, exactKlNats, firstLogprobs_K };
}
