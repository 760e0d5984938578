// The workload's tokens and objective for peers that are backends of this project. Prompts are one
// token and nothing stops, so a rollout is `length` steps and an update scores every token.

import type { Objective, OptimizerStep, PackedBatch } from "../../src/model/backend.ts";
import type { SampleRequest } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import type { Workload } from "./workload.ts";

/** Clip range of the ratio, learning rate and so on: the same numbers in every peer. */
export const CLIP = 0.2;
export const OPTIMIZER: OptimizerStep = {
  kind: "adamw",
  learningRate: 1e-4,
  beta1: 0.9,
  beta2: 0.999,
  eps: 1e-8,
  weightDecay: 0.01,
  maxGradNorm: 1,
};
/** Log-prob of every token under the policy it was sampled from: about that of an untrained one, log 512. */
export const OLD_LOGPROB = -6;
/** Rows whose activations are kept at once: the default of a run. */
export const MICRO_BATCH_TOKENS = 2048;

/** Tokens [batch, length + 1] and one advantage a sequence, standard normal. */
export interface WorkloadData {
  readonly tokens_BT: readonly (readonly number[])[];
  readonly advantages_B: Float32Array;
}

/** Draws the workload's data, the same on every call. */
export function drawData({ batch, length, vocabularySize }: Workload): WorkloadData {
  const random = new Random(0);
  const tokens_BT = Array.from({ length: batch }, () => Array.from({ length: length + 1 }, () => random.below(vocabularySize)));
  return { tokens_BT, advantages_B: Float32Array.from({ length: batch }, () => random.normal()) };
}

/** Every sequence as a unit of its own: no prompt is shared, as in the peers that know no sharing. */
export function trainBatch({ tokens_BT }: WorkloadData): PackedBatch {
  return packGroups(
    tokens_BT.map((tokens) => ({ promptTokens: tokens.slice(0, 1), completions: [tokens.slice(1)] })),
    1,
  );
}

/** -min(ratio * A, clip(ratio) * A), mean over all tokens (PPO, Schulman et al. 2017, equation 7). */
export function clipObjective(batch: PackedBatch, advantages_B: Float32Array): Objective {
  const tokens = batch.scoreTarget_K.length;
  return ({ logprobs_K }, { firstSequence, lastSequence, firstToken }) => {
    const gradient_K = new Float32Array(logprobs_K.length);
    for (let q = firstSequence; q < lastSequence; q++) {
      const advantage = advantages_B[q]!;
      for (let k = batch.sequenceStart_Q[q]! - firstToken; k < batch.sequenceStart_Q[q + 1]! - firstToken; k++) {
        const ratio = Math.exp(logprobs_K[k]! - OLD_LOGPROB);
        const clipped = advantage >= 0 ? ratio > 1 + CLIP : ratio < 1 - CLIP;
        gradient_K[k] = clipped ? 0 : (-ratio * advantage) / tokens;
      }
    }
    return { logprobs_K: gradient_K, entropies_K: null, values_K: null };
  };
}

/** A rollout of `length` tokens for each sequence's first token. */
export function decodeRequest({ batch, length }: Workload, { tokens_BT }: WorkloadData): SampleRequest {
  const random = new Random(1);
  return {
    prompts: tokens_BT.map((tokens) => tokens.slice(0, 1)),
    copies: 1,
    maxNewTokens: length,
    temperature: 1,
    topK: 0,
    topP: 1,
    minP: 0,
    stopTokens: [],
    uniforms_BT: Float32Array.from({ length: batch * length }, () => random.uniform()),
  };
}
