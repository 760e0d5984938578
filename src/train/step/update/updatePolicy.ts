// The update half of a step: inner epochs over the same rollouts, each cut into minibatches that take
// one optimizer step. From the second step on, ratios leave 1 and clipping begins to act.

import type { Objective, PartialScores, SequenceRange } from "../../../model/backend.ts";
import type { AnyModel, KnownLoss } from "../../../model/model.ts";
import { lossOnServer } from "../../../protocol/config/serverRules.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { UpdatePlace } from "../../../protocol/messages.ts";
import type { AdvantageResult } from "../../../rl/advantage/types.ts";
import { learningRateAt } from "../../../rl/controllers.ts";
import { exactKlCoef } from "../../../rl/kl/index.ts";
import { addSums, emptySums, type ObjectiveSums } from "../../../rl/objective/sums.ts";
import { tokenObjective } from "../../../rl/objective.ts";
import { type SampledStep, tokenGroups } from "../sampledStep.ts";
import { type IsOpened, type OnProgress, optimizerStep, type PhaseEnd, refused, type TrainerParts } from "../trainer.ts";
import { type Minibatch, splitMinibatches, wholeBatch } from "./minibatch.ts";
import { type FixedTokens, fixedTokens, objectiveInput, tokenGradients } from "./objectiveInput.ts";
import { measureMinibatch, normMetric, type Opening, stopAt } from "./openUpdate.ts";

export interface UpdateOutcome {
  /** Sums over all optimizer steps of the update. */
  readonly sums: ObjectiveSums;
  /** Mean over all optimizer steps; null where the model does not show it. */
  readonly gradNorm: number | null;
  /** What the place that computes tells besides, by names of its own; of the last optimizer step. */
  readonly told: Readonly<Record<string, number>>;
  readonly learningRate: number;
  readonly optimizerSteps: number;
  /** KL to the reference summed over the vocabulary; null where it is estimated from samples. */
  readonly exactKlNats: number | null;
  /** What the training forward saw before anything of this update was applied: the first minibatch. */
  readonly first: { readonly tokenOf_K: Int32Array; readonly logprobs_K: Float32Array };
}

/** The objective over slices of one minibatch; keeps what the inspector shows of every token. Throws where the loss is not finite. */
function objectiveOver(minibatch: Minibatch, fixed: FixedTokens, config: RunConfig, step: SampledStep, sums: ObjectiveSums): Objective {
  return (scores: PartialScores, range: SequenceRange) => {
    const result = tokenObjective(objectiveInput(minibatch, fixed, scores, range), config);
    if (!Number.isFinite(result.loss)) throw refused(`the loss of step ${step.step} is ${result.loss}`);
    addSums(sums, result.sums);
    for (let k = 0; k < scores.logprobs_K.length; k++) {
      const token = minibatch.tokenOf_K[range.firstToken + k]!;
      step.trainLogprobs_K[token] = scores.logprobs_K[k]!;
      if (scores.entropies_K && step.trainEntropies_K) step.trainEntropies_K[token] = scores.entropies_K[k]!;
      step.lossWeights_K[token] = result.gradLogprobs_K[k]!;
    }
    return tokenGradients(result);
  };
}

/** The objective over a minibatch as a loss that a server knows; null where none is asked for. */
function knownLoss(minibatch: Minibatch, fixed: FixedTokens, config: RunConfig, step: SampledStep): KnownLoss | null {
  if (config.backend !== "tinker" || config.serverLoss === "own") return null;
  const loss = lossOnServer(config);
  if (typeof loss === "string") throw new Error(`internal: ${loss}`);
  const { sequenceStart_Q } = minibatch.batch;
  const whole = { firstSequence: 0, lastSequence: sequenceStart_Q.length - 1, firstToken: 0 };
  const atOld = { logprobs_K: Float32Array.from(fixed.old_K), entropies_K: null, values_K: null };
  const { logprobs_K } = objectiveOver(minibatch, fixed, config, step, emptySums())(atOld, whole);
  return { ...loss, old_K: atOld.logprobs_K, advantages_K: logprobs_K.map((slope) => 0 - slope) };
}

interface UpdateSignals {
  readonly onProgress: OnProgress;
  readonly isOpened: IsOpened;
}

/**
 * Improves the policy on a step with its advantages; yields at the parts of each optimizer step where it is opened.
 * What is shown there is measured in a pass of its own, so that the steps are those of an update that nobody
 * looks into. Throws StepRefused with the weights still good.
 */
export async function* updatePolicy(
  parts: Pick<TrainerParts, "random"> & { readonly model: Pick<AnyModel, "update" | "score" | "gradient"> },
  config: RunConfig,
  step: SampledStep,
  advantages: AdvantageResult,
  stepsBefore: number,
  { onProgress, isOpened }: UpdateSignals,
): AsyncGenerator<PhaseEnd, UpdateOutcome> {
  const { model, random } = parts;
  const learningRate = learningRateAt(stepsBefore, config);
  const sums = emptySums();
  const total = config.innerEpochs * config.minibatches;
  const groups = config.minibatches > 1 ? tokenGroups(step.groups) : [];
  step.trainLogprobs_K = step.oldLogprobs_K.slice();
  let done = 0;
  let gradNorm: number | null = 0;
  let told: UpdateOutcome["told"] = {};
  let exactKlNats: number | null = null;
  let first: UpdateOutcome["first"] | null = null;
  for (let epoch = 0; epoch < config.innerEpochs; epoch++) {
    const cuts = config.minibatches > 1 ? splitMinibatches(groups, step.batch, random, config) : [wholeBatch(step.batch)];
    for (const [index, minibatch] of cuts.entries()) {
      for (const q of minibatch.sequences) step.minibatches_Q[q]!.push(index + 1);
      onProgress("update", done, total);
      const fixed = fixedTokens(minibatch, step, advantages, config);
      const request = (into: ObjectiveSums) => ({
        batch: minibatch.batch,
        objective: objectiveOver(minibatch, fixed, config, step, into),
        exactKlCoef: exactKlCoef(config),
        microBatchTokens: config.microBatchTokens,
      });
      const place = { epoch: epoch + 1, epochs: config.innerEpochs, minibatch: index + 1, minibatches: cuts.length };
      const opening: Opening = { step, place, isOpened, done, total };
      let metrics: UpdatePlace["metrics"] = {};
      if (isOpened()) {
        metrics = await measureMinibatch(model, request, config);
        yield* stopAt(opening, ["ratio", "loss", "gradient"], metrics);
      }
      const known = knownLoss(minibatch, fixed, config, step);
      const result = await model.update({ optimizer: optimizerStep(config, learningRate), ...request(sums), ...(known ? { known } : {}) });
      if (result.gradNorm !== null && !Number.isFinite(result.gradNorm))
        throw refused(`the gradient norm of step ${step.step} is ${result.gradNorm}`);
      // Only before the first optimizer step does the policy differ from the sampler's by rounding alone.
      first ??= { tokenOf_K: minibatch.tokenOf_K, logprobs_K: result.scores.logprobs_K };
      exactKlNats ??= result.exactKlNats;
      gradNorm = gradNorm === null || result.gradNorm === null ? null : gradNorm + result.gradNorm;
      told = result.told ?? {};
      done += 1;
      if (isOpened()) {
        if (config.measureUpdate) step.newLogprobs_K = (await model.score(step.batch, "policy")).logprobs_K;
        yield* stopAt({ ...opening, done }, ["optimizer"], { ...metrics, ...normMetric(result.gradNorm) });
      }
    }
  }
  if (!first) throw new Error("internal: an update takes at least one optimizer step");
  return { sums, gradNorm: gradNorm === null ? null : gradNorm / done, told, learningRate, optimizerSteps: done, exactKlNats, first };
}
