// The update half of a step: inner epochs over the same rollouts, each cut into minibatches that take
// one optimizer step. From the second step on, ratios leave 1 and clipping begins to act.
import type { Objective, SequenceRange, TokenScores } from "../../model/backend.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { AdvantageResult } from "../../rl/advantages.ts";
import { addSums, emptySums, type ObjectiveSums, tokenObjective } from "../../rl/objective.ts";
import { learningRateAt } from "../../rl/schedule.ts";
import { type Minibatch, scatter, splitMinibatches, wholeBatch } from "./minibatch.ts";
import { exactKlCoef, type FixedTokens, fixedInput, fixedTokens, objectiveInput, tokenGradients } from "./objectiveInput.ts";
import { optimizerStep } from "./optimizerStep.ts";
import { type SampledStep, tokenGroups } from "./sampledStep.ts";
import { NonFiniteError, type OnProgress, type TrainerParts } from "./trainer.ts";

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

/** The scalar objective over slices of one minibatch; keeps what the inspector shows of every token. */
function objectiveOver(minibatch: Minibatch, fixed: FixedTokens, config: RunConfig, step: SampledStep, sums: ObjectiveSums): Objective {
  const evaluate = (scores: TokenScores, range: SequenceRange) => {
    const result = tokenObjective(objectiveInput(minibatch, fixed, scores, range), config);
    addSums(sums, result.sums);
    for (let k = 0; k < scores.logprobs_K.length; k++) {
      const token = minibatch.tokenOf_K[range.firstToken + k]!;
      step.trainLogprobs_K[token] = scores.logprobs_K[k]!;
      step.entropies_K[token] = scores.entropies_K[k]!;
      step.lossWeights_K[token] = result.gradLogprobs_K[k]!;
    }
    // A loss that is not a number must not move the weights: a gradient that is not either is refused.
    if (!Number.isFinite(result.loss)) result.gradLogprobs_K.fill(Number.NaN);
    return tokenGradients(result);
  };
  return Object.assign(evaluate, { terms: (range: SequenceRange) => ({ fixed: fixedInput(minibatch, fixed, range), config }) });
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
  const groups = tokenGroups(step.groups);
  step.trainLogprobs_K = step.oldLogprobs_K.slice();
  let done = 0;
  let gradNorm = 0;
  let exactKlNats: number | null = null;
  const firstLogprobs_K = step.oldLogprobs_K.slice();
  for (let epoch = 0; epoch < config.innerEpochs; epoch++) {
    const cuts = config.minibatches > 1 ? splitMinibatches(groups, step.batch, random, config) : [wholeBatch(step.batch)];
    for (const minibatch of cuts) {
      onProgress("update", done, total);
      const fixed = fixedTokens(minibatch, step, advantages, config, entropiesBefore_K);
      const result = await model.update({
        batch: minibatch.batch,
        objective: objectiveOver(minibatch, fixed, config, step, sums),
        exactKlCoef: exactKlCoef(config),
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
      if (done === 0) scatter(result.scores.logprobs_K, minibatch.tokenOf_K, firstLogprobs_K);
      exactKlNats ??= result.exactKlNats;
      gradNorm += result.gradNorm;
      done += 1;
    }
  }
  const loss = (sums.policyLoss + sums.klLoss + sums.entropyLoss + sums.valueLoss) / done;
  return { sums, loss, gradNorm: gradNorm / done, learningRate, optimizerSteps: done, exactKlNats, firstLogprobs_K };
}
