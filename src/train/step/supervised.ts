// Supervised training on worked examples: the loss is the mean negative log-prob of the tokens of the
// assistant's turns. It makes the warm start that reinforcement learning begins from.

import type { Objective, PartialScores } from "../../model/backend.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { learningRateAt } from "../../rl/controllers.ts";
import { hash32 } from "../../rl/data/problems.ts";
import { exp } from "../../rl/exactMath.ts";
import { tooLongWorked, workOut } from "../../rl/rollout/demonstration.ts";
import type { TrajectoryGroup } from "../../rl/types.ts";
import { newSampledStep, tokenGroups, trainedTemperature } from "./sampledStep.ts";
import { MOST_LEFT_OUT } from "./sampleGroups.ts";
import { type Metrics, SteppedTrainer } from "./steppedTrainer.ts";
import { type OnProgress, optimizerStep, type PhaseEnd, StepRefused } from "./trainer.ts";
import { packGroups } from "./update/batch.ts";
import { normMetric } from "./update/openUpdate.ts";

/** Examples of a step that can be looked at. */
export const SHOWN_EXAMPLES = 8;

/** The mean negative log-prob of the scored tokens, and their mean entropy, where the model tells it. */
function lossOf({ logprobs_K, entropies_K }: PartialScores): { readonly loss: number; readonly entropy: number | null } {
  const tokens = logprobs_K.length;
  let loss = 0;
  let entropy = entropies_K ? 0 : null;
  for (let k = 0; k < tokens; k++) {
    loss -= logprobs_K[k]! / tokens;
    if (entropies_K && entropy !== null) entropy += entropies_K[k]! / tokens;
  }
  return { loss, entropy };
}

/** Trains on fresh demonstrations, a batch a step; owned state. */
export class SupervisedTrainer extends SteppedTrainer {
  /** Worked conversations of the next problems that have room in the model's context, and how many have not. */
  #worked({ seed: runSeed, demonstrationsPerStep, demonstrationNoise }: RunConfig) {
    const { model, renderer, loader, random, task } = this.parts;
    const position = loader.state();
    const limits = { maxTurns: task.maxTurns ?? 1, maxPositions: model.policy().maxPositions };
    const groups: TrajectoryGroup[] = [];
    let seen = 0;
    let leftOut = 0;
    while (groups.length < demonstrationsPerStep)
      for (const example of loader.next(demonstrationsPerStep - groups.length)) {
        const speaker = task.demonstration(example, random, demonstrationNoise);
        // The environment's chance is the place's own, so that the run's generator draws for demonstrations alone.
        const seed = hash32(`demonstration/${runSeed}/${position + seen++}`);
        const worked = workOut({ envs: task.envs, renderer }, example, speaker, seed, limits);
        const why = tooLongWorked(`the problem ${example.id}`, worked, limits.maxPositions);
        if (why === null) {
          groups.push({ example, trajectories: [worked] });
          continue;
        }
        leftOut += 1;
        this.parts.onTooLong?.(why);
        if (leftOut >= MOST_LEFT_OUT) throw new StepRefused(`${leftOut} problems of this step are too long: ${why}`);
      }
    return { groups, leftOut };
  }

  protected async *phases(onProgress: OnProgress): AsyncGenerator<PhaseEnd, Metrics> {
    const { model } = this.parts;
    this.applyChanges();
    const { config } = this;
    const begunMs = this.workedMs();
    onProgress("sample", 0, config.demonstrationsPerStep);
    const { groups, leftOut } = this.#worked(config);
    const batch = packGroups(tokenGroups(groups), trainedTemperature(config));
    const shown = newSampledStep(this.step + 1, groups.slice(0, SHOWN_EXAMPLES), config);
    yield { phase: "sample", sampled: shown };
    const tokens = batch.scoreTarget_K.length;
    onProgress("update", 0, tokens);
    const notTaken = () => new StepRefused(`the loss of step ${this.step + 1} is not a number; the step was not taken`);
    const objective: Objective = ({ logprobs_K }) => {
      if (!logprobs_K.every(Number.isFinite)) throw notTaken();
      return { logprobs_K: new Float32Array(logprobs_K.length).fill(-1 / tokens), entropies_K: null, values_K: null };
    };
    const learningRate = learningRateAt(this.step, config);
    const { scores, gradNorm } = await model.update({
      batch,
      objective,
      exactKlCoef: 0,
      optimizer: optimizerStep(config, learningRate),
      microBatchTokens: config.microBatchTokens,
    });
    if (gradNorm !== null && !Number.isFinite(gradNorm)) throw notTaken();
    const { loss, entropy } = lossOf(scores);
    // The examples that are shown come first in the batch; how likely they were, the training forward has told.
    const shownTokens = shown.oldLogprobs_K.length;
    shown.oldLogprobs_K.set(scores.logprobs_K.subarray(0, shownTokens));
    if (scores.entropies_K) shown.sampledEntropies_K?.set(scores.entropies_K.subarray(0, shownTokens));
    shown.phase = "update";
    yield { phase: "update", sampled: shown };
    this.tokensSeen += batch.tokens_N.length;
    const seconds = Math.max(1e-9, (this.workedMs() - begunMs) / 1000);
    return {
      loss,
      ...(entropy === null ? {} : { entropy }),
      perplexity: exp(loss),
      ...normMetric(gradNorm),
      learning_rate: learningRate,
      ...(leftOut > 0 ? { "sampling/left_out": leftOut } : {}),
      num_tokens: this.tokensSeen,
      step_time: seconds,
      "perf/train_tokens_per_second": batch.tokens_N.length / seconds,
    };
  }
}
