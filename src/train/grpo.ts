// GRPO from prompt to update, in one file, to be read beside the paper: Shao et al., "DeepSeekMath" (2024,
// arXiv 2402.03300), algorithm 1 and equations 3, 4 and 21. Everything is plain arrays but for the model,
// which samples, scores, and carries a gradient with respect to log-probs back to its weights.
//
// Departures from the paper:
//   - Rewards are rules; there is no reward model to train, so the outer loop over reward models is gone.
//   - The standard deviation is the sample's (G - 1) plus 1e-4, and a group of equal rewards has advantage 0.
//   - Each conversation has one turn of the policy (rl/rollout/generator.ts has several).
//   - Every inner epoch over the rollouts is one optimizer step on all of them, at a constant learning rate.
//
// Departures from the trainer (step/reinforcement.ts), whose numbers it gives to the bit: none of its other
// algorithms, schedules, evaluation, records or saves. `npm run essay` runs this file.
//
// Axes: P prompts, G members of a group, Q = P·G sequences, K sampled tokens of all sequences end to end.

import type { Objective, OptimizerStep, SequenceRange } from "../model/backend.ts";
import type { Model } from "../model/model.ts";
import { exp, expm1 } from "../rl/exactMath.ts";
import type { Random } from "../rl/random.ts";
import { scoreGroups } from "../rl/rewards/weightedReward.ts";
import type { DataLoader, EnvBuilder, Example, Message, Renderer, RewardModel, Trajectory } from "../rl/types.ts";
import { packGroups } from "./step/update/batch.ts";
import { cutGroups } from "./step/update/cutGroups.ts";

/** What is trained, on what. */
export interface GrpoParts {
  readonly model: Model;
  readonly loader: DataLoader;
  readonly envs: EnvBuilder;
  readonly renderer: Renderer;
  readonly rewards: RewardModel;
  readonly random: Random;
}

/** The settings of the readable loop. */
export interface GrpoSettings {
  /** P, problems of one step. */
  readonly prompts: number;
  /** G, completions of each; at least 2. */
  readonly groupSize: number;
  readonly maxNewTokens: number;
  /** Divides the logits, in sampling and in training alike. */
  readonly temperature: number;
  /** ε of the clip. */
  readonly clip: number;
  /** β, weight of the KL to the reference (nats). */
  readonly klCoef: number;
  /** μ, inner epochs over one step's rollouts. */
  readonly innerEpochs: number;
  readonly optimizer: OptimizerStep;
  /** Tokens whose activations are kept at once; no result depends on it. */
  readonly microBatchTokens: number;
}

/** Figures of one step. */
export interface GrpoStep {
  readonly step: number;
  readonly meanReward: number;
  /** Mean over the inner epochs. */
  readonly loss: number;
  readonly gradNorm: number;
}

/** Trains for ever; each step yields its figures once it is done. */
export async function* grpo(parts: GrpoParts, settings: GrpoSettings): AsyncGenerator<GrpoStep, never> {
  const { model, loader, rewards } = parts;
  // π_ref is the policy as it starts.
  await model.refreshReference(1);
  for (let step = 1; ; step++) {
    // Draw P problems and sample G completions of each from π_old, the policy as it is now.
    const examples = loader.next(settings.prompts);
    const groups_P = await rollOut(parts, settings, examples);

    // Score each completion, and compare it with its group.
    const groups = groups_P.map((trajectories, p) => ({ example: examples[p]!, trajectories }));
    const judged_P_G = await scoreGroups(groups, rewards, { maxCompletionTokens: settings.maxNewTokens, overlongBuffer: 0 });
    const rewards_P_G = judged_P_G.map((group) => group.map(({ total }) => total));
    const advantages_Q = rewards_P_G.flatMap(groupRelative);

    // Lay all sequences end to end: each prompt once, its completions behind it.
    const tokens_P = groups_P.map((group) => ({
      promptTokens: group[0]!.promptTokens,
      completions: group.map(({ tokens }) => tokens),
    }));
    const batch = packGroups(cutGroups(tokens_P, settings.microBatchTokens), settings.temperature);
    const oldLogprobs_K = Float32Array.from(groups_P.flat().flatMap(({ logprobs }) => logprobs));
    const { logprobs_K: refLogprobs_K } = await model.score(batch, "reference");

    // Improve the policy μ times on the same rollouts. In the first inner epoch every ratio is 1.
    const sums = { policy: 0, kl: 0 };
    let gradNorm = 0;
    for (let epoch = 0; epoch < settings.innerEpochs; epoch++) {
      const fixed: FixedValues = { oldLogprobs_K, refLogprobs_K, advantages_Q, sequenceStart_Q: batch.sequenceStart_Q };
      const { optimizer, microBatchTokens } = settings;
      const objective = grpoObjective(fixed, settings, sums);
      const update = await model.update({ batch, objective, exactKlCoef: 0, optimizer, microBatchTokens });
      gradNorm += update.gradNorm;
    }
    const meanReward = mean(scored(rewards_P_G.flat()));
    yield { step, meanReward, loss: (sums.policy + sums.kl) / settings.innerEpochs, gradNorm: gradNorm / settings.innerEpochs };
  }
}

/** One group of G finished conversations for each problem. */
async function rollOut(
  { model, envs, renderer, random }: GrpoParts,
  { groupSize: G, maxNewTokens: T, temperature }: GrpoSettings,
  examples: readonly Example[],
): Promise<readonly (readonly Trajectory[])[]> {
  // Every conversation has an environment of its own, with a seed for its chance.
  const envs_P_G = examples.map((example) => Array.from({ length: G }, () => envs.build(example, random.bits())));
  const states_P = envs_P_G.map((group) => group.map((env) => env.start())[0]!);
  const prompts = states_P.map((state) => renderer.renderPrompt(state));

  // Sample all of them side by side. Randomness comes from one seeded generator, a draw per possible token.
  const sequences = Int32Array.from({ length: prompts.length * G }, (_, q) => q);
  const open = model.policy().open({ prompts, promptOf_B: sequences.map((q) => Math.floor(q / G)), expectedTokens: T });
  const uniforms_BT = Float32Array.from({ length: sequences.length * T }, () => random.uniform());
  const { stopTokens } = renderer;
  const noFilter = { topK: 0, topP: 1, minP: 0 };
  const sampled = await open.sample({ sequences_B: sequences, maxNewTokens: T, temperature, ...noFilter, stopTokens, uniforms_BT });
  open.close();

  return envs_P_G.map((group, p) =>
    group.map((env, g): Trajectory => {
      const q = p * G + g;
      const own = <A extends { subarray(from: number, to: number): Iterable<number> }>(values_BT: A) =>
        Array.from(values_BT.subarray(q * T, q * T + sampled.lengths_B[q]!));
      const tokens = own(sampled.tokens_BT);
      const message: Message = renderer.parse(tokens);
      const isComplete = sampled.stopped_B[q] === 1 || stopTokens.length === 0;
      if (isComplete && env.step({ message }) !== null) throw new Error(`the environment of ${examples[p]!.id} asks for a second turn`);
      return {
        promptTokens: prompts[p]!,
        tokens,
        mask: tokens.map(() => 1),
        logprobs: own(sampled.logprobs_BT),
        entropies: sampled.entropies_BT && own(sampled.entropies_BT),
        messages: [...states_P[p]!.messages, message],
        stopReason: isComplete ? "completed" : "max-tokens",
      };
    }),
  );
}

/** The rewards there are: null where nothing could judge, which is no zero. */
function scored(rewards: readonly (number | null)[]): readonly number[] {
  return rewards.filter((reward) => reward !== null);
}

/**
 * Section 4.1.2 (outcome supervision): A_i = (r_i - mean(r)) / (std(r) + 1e-4), the same at each token of completion i;
 * 0 without a reward.
 */
function groupRelative(judged_G: readonly (number | null)[]): readonly number[] {
  const rewards_G = scored(judged_G);
  const centre = mean(rewards_G);
  // Equal rewards tell nothing apart, whatever rounding leaves of their differences.
  if (Math.max(...rewards_G) - Math.min(...rewards_G) <= 1e-12 * Math.max(1, ...rewards_G.map(Math.abs))) return judged_G.map(() => 0);
  const squares = rewards_G.reduce((sum, reward) => sum + (reward - centre) * (reward - centre), 0);
  const std = Math.sqrt(squares / (rewards_G.length - 1));
  return judged_G.map((reward) => (reward === null ? 0 : (reward - centre) / (std + 1e-4)));
}

/** What stays fixed while the policy moves. */
interface FixedValues {
  readonly oldLogprobs_K: Float32Array;
  readonly refLogprobs_K: Float32Array;
  readonly advantages_Q: readonly number[];
  /** First token of each sequence, and K at the end. */
  readonly sequenceStart_Q: Int32Array;
}

/**
 * Equation 3, negated because optimizers descend, with its derivative with respect to every log-prob:
 *
 *   L = 1/Q Σ_q 1/|o_q| Σ_t ( -min(w A, clip(w, 1 - ε, 1 + ε) A) + β D ),   w = π_θ / π_old
 *
 * The model calls it with the log-probs of whole sequences, all of them or a micro-batch at a time, and
 * carries the derivative back to the weights. The loss is added to `sums`.
 */
function grpoObjective(fixed: FixedValues, { clip, klCoef }: GrpoSettings, sums: { policy: number; kl: number }): Objective {
  const { oldLogprobs_K, refLogprobs_K, advantages_Q, sequenceStart_Q } = fixed;
  const Q = advantages_Q.length;
  return ({ logprobs_K }, { firstSequence, lastSequence, firstToken }: SequenceRange) => {
    const gradient_K = new Float32Array(logprobs_K.length);
    let policy = 0;
    let kl = 0;
    for (let q = firstSequence; q < lastSequence; q++) {
      const A = advantages_Q[q]!;
      const start = sequenceStart_Q[q]!;
      const end = sequenceStart_Q[q + 1]!;
      // Every sequence counts alike, and within it every token.
      const weight = 1 / ((end - start) * Q);
      for (let k = start; k < end; k++) {
        const logprob = logprobs_K[k - firstToken]!;
        const w = exp(logprob - oldLogprobs_K[k]!);
        const clipped = Math.max(1 - clip, Math.min(1 + clip, w));
        policy += weight * -Math.min(w * A, clipped * A);
        // Where min() takes the clipped side the token is not pushed any further: dw/dlogprob = w.
        const isHeld = A > 0 ? w > 1 + clip : w < 1 - clip;
        const push = isHeld ? 0 : -A * weight * w;

        // Equation 4: D = π_ref/π - log(π_ref/π) - 1, an estimate of the KL that is never negative.
        const d = logprob - refLogprobs_K[k]!;
        const D = expm1(-d) + d;
        kl += klCoef * weight * D;
        const pull = klCoef * weight * -expm1(-d);
        gradient_K[k - firstToken] = pull + push;
      }
    }
    sums.policy += policy;
    sums.kl += kl;
    return { logprobs_K: gradient_K, entropies_K: null, values_K: null };
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
