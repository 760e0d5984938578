// Policy-gradient training over custom parts, conversations of several turns included: whatever is handed in here
// is used in the trainer's place, and what is left out is the trainer's. To be read after src/train/grpo.ts, which is this
// loop with one turn and with the paper's own numbers.
//
// Axes: P prompts, G members of a group, Q sequences, K sampled tokens of all sequences end to end.

import type { OptimizerStep, PartialScores, SequenceRange, TokenGradients } from "../model/backend.ts";
import type { AnyModel } from "../model/model.ts";
import { InputError } from "../protocol/problems.ts";
import type { Random } from "../rl/random.ts";
import { rewardGroups } from "../rl/rewards/weightedReward.ts";
import { type GenerateOptions, generate } from "../rl/rollout/generator.ts";
import type { DataLoader, EnvBuilder, Renderer, Reward, RewardModel, Trajectory, TrajectoryGroup } from "../rl/types.ts";
import { tokenGroups } from "../train/step/sampledStep.ts";
import { packGroups } from "../train/step/update/batch.ts";
import { cutGroups } from "../train/step/update/cutGroups.ts";

/** Makes the conversations of a step, one group for each problem; `generate` is one. */
export type Generator = typeof generate;

/** What a step sampled, judged, laid end to end. */
export interface JudgedStep {
  readonly groups: readonly TrajectoryGroup[];
  readonly rewards_P_G: readonly (readonly Reward[])[];
  readonly trajectories_Q: readonly Trajectory[];
  /** Group of each sequence. */
  readonly groupOf_Q: Int32Array;
  /** First sampled token of each sequence, and K at the end. */
  readonly sequenceStart_Q: Int32Array;
  /** 1 where the token is trained; whoever sets 0 leaves a token, a turn or an agent out. */
  readonly mask_K: Uint8Array;
  /** Log-probs as sampled (nats). */
  readonly oldLogprobs_K: Float32Array;
  /** Log-probs of the start; null where the algorithm asks for none. */
  readonly refLogprobs_K: Float32Array | null;
}

/** An algorithm as two functions: how rewards become advantages, and what the loss and its derivative are. */
export interface Algorithm {
  /** Whether it reads log-probs of the frozen start. */
  readonly usesReference?: boolean;
  /** One advantage for each sampled token [K]. */
  advantages(step: JudgedStep): ArrayLike<number>;
  /**
   * Loss over whole sequences [firstSequence, lastSequence), whose scores begin at `firstToken`, and its derivative with respect
   * to each of them. Asked for each micro-batch; losses are added up.
   */
  objective(
    step: JudgedStep,
    advantages_K: ArrayLike<number>,
    scores: PartialScores,
    range: SequenceRange,
  ): { readonly loss: number; readonly gradients: TokenGradients };
}

/** What is trained, on what, and how. */
export interface TrainingParts {
  readonly model: Pick<AnyModel, "policy" | "score" | "update" | "refreshReference">;
  readonly loader: Pick<DataLoader, "next">;
  readonly envs: EnvBuilder;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  readonly random: Random;
  readonly algorithm: Algorithm;
  /** The trainer's where left out. */
  readonly generator?: Generator;
}

/** Sizes and rates of the loop. */
export interface TrainingSettings extends Pick<GenerateOptions, "maxNewTokens" | "maxTurns" | "temperature"> {
  /** P, problems of one step. */
  readonly prompts: number;
  /** G, conversations of each; at least 2. */
  readonly groupSize: number;
  /** Inner epochs over one step's rollouts; 1 where left out. */
  readonly innerEpochs?: number;
  readonly optimizer: OptimizerStep;
  /** Tokens whose activations are kept at once; no result depends on it. */
  readonly microBatchTokens?: number;
}

/** Figures of one step, and all it was made from. */
export interface TrainedStep {
  readonly step: number;
  /** Over the conversations that could be scored; NaN where none could. */
  readonly meanReward: number;
  /** Mean over the inner epochs. */
  readonly loss: number;
  readonly judged: JudgedStep;
  readonly advantages_K: ArrayLike<number>;
}

const NO_FILTER = { topK: 0, topP: 1, minP: 0 } as const;

/** Trains for ever; each step yields its figures once it is done. Throws InputError where an algorithm gives too few advantages. */
export async function* trainParts(parts: TrainingParts, settings: TrainingSettings): AsyncGenerator<TrainedStep, never> {
  const { model, loader, envs, renderer, rewards, random, algorithm, generator = generate } = parts;
  const { prompts, groupSize, innerEpochs = 1, optimizer, microBatchTokens = 2048, ...sizes } = settings;
  if (groupSize < 2) throw new InputError([{ field: "groupSize", message: `groupSize must be >= 2, got ${groupSize}` }]);
  if (algorithm.usesReference) await model.refreshReference(1);
  for (let step = 1; ; step++) {
    // Roll out, turn by turn, and judge.
    const options = { ...sizes, ...NO_FILTER, copies: groupSize, random };
    const groups = await generator({ policy: model.policy(), envs, renderer }, loader.next(prompts), options);
    const rewards_P_G = await rewardGroups(groups, rewards, { maxCompletionTokens: settings.maxNewTokens, overlongBuffer: 0 });

    // Lay all sequences end to end; what environments inserted has rows and no score.
    const batch = packGroups(cutGroups(tokenGroups(groups), microBatchTokens), settings.temperature);
    const refLogprobs_K = algorithm.usesReference ? (await model.score(batch, "reference")).logprobs_K : null;
    const judged = judgedStep(groups, rewards_P_G, batch.sequenceStart_Q, refLogprobs_K);
    const advantages_K = algorithm.advantages(judged);
    const K = judged.oldLogprobs_K.length;
    if (advantages_K.length !== K)
      throw new InputError([
        { field: "advantages", message: `advantages must be one for each of ${K} sampled tokens, got ${advantages_K.length}` },
      ]);

    // Improve the policy on these rollouts.
    let loss = 0;
    for (let epoch = 0; epoch < innerEpochs; epoch++) {
      const objective = (scores: PartialScores, range: SequenceRange) => {
        const found = algorithm.objective(judged, advantages_K, scores, range);
        loss += found.loss;
        return found.gradients;
      };
      await model.update({ batch, objective, exactKlCoef: 0, optimizer, microBatchTokens });
    }
    const totals = rewards_P_G.flat().flatMap(({ total }) => (total === null ? [] : [total]));
    const meanReward = totals.reduce((sum, total) => sum + total, 0) / totals.length;
    yield { step, meanReward, loss: loss / innerEpochs, judged, advantages_K };
  }
}

function judgedStep(
  groups: readonly TrajectoryGroup[],
  rewards_P_G: readonly (readonly Reward[])[],
  sequenceStart_Q: Int32Array,
  refLogprobs_K: Float32Array | null,
): JudgedStep {
  const trajectories_Q = groups.flatMap(({ trajectories }) => trajectories);
  const groupOf_Q = Int32Array.from(groups.flatMap(({ trajectories }, p) => trajectories.map(() => p)));
  const oldLogprobs_K = Float32Array.from(trajectories_Q.flatMap(({ logprobs }) => logprobs));
  const mask_K = new Uint8Array(oldLogprobs_K.length).fill(1);
  return { groups, rewards_P_G, trajectories_Q, groupOf_Q, sequenceStart_Q, mask_K, oldLogprobs_K, refLogprobs_K };
}
