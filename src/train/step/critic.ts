// A critic with a trunk of its own: a copy of the starting policy with a value head, trained on the same
// tokens with its own learning rate and number of passes, so that the value loss cannot disturb the
// policy (Schulman et al. 2017, section 5: without shared parameters the losses separate).
import type { Objective } from "../../model/backend.ts";
import type { AnyModel, Model } from "../../model/model.ts";
import type { RunConfig } from "../../protocol/config.ts";
import type { StopReason } from "../../protocol/records.ts";
import { objectiveTotals } from "../../rl/objective/totals.ts";
import { valueLoss } from "../../rl/objective/value.ts";
import type { SampledStep } from "./sampledStep.ts";
import { optimizerStep, refused } from "./trainer.ts";
import { packGroups } from "./update/batch.ts";

export interface CriticOutcome {
  /** Value loss of the last pass. */
  readonly loss: number;
  /** Share of trained tokens whose value the clip held. */
  readonly clippedShare: number;
}

/** Value of every scored token under the critic as it is. */
export async function criticValues(critic: Pick<AnyModel, "score">, step: SampledStep): Promise<Float32Array> {
  const { values_K } = await critic.score(step.batch, "policy");
  if (!values_K) throw new Error("internal: the critic has no value head");
  return values_K;
}

/** Why a conversation stopped that would have gone on. */
const CUT_OFF: readonly StopReason[] = ["max-tokens", "max-turns", "max-context"];

/**
 * Value of where each conversation stopped that a limit cut off, 0 for those that ended by themselves [Q]. The row of the last
 * token predicts what would have come next: whatever id stands there is never read.
 */
export async function cutOffValues(critic: Pick<AnyModel, "score">, { trajectories_Q, batch }: SampledStep): Promise<Float64Array> {
  const bootstrap_Q = new Float64Array(trajectories_Q.length);
  const cut = [...trajectories_Q.entries()].filter(([, { stopReason }]) => CUT_OFF.includes(stopReason));
  if (cut.length === 0) return bootstrap_Q;
  const groups = cut.map(([, { promptTokens, tokens }]) => ({
    promptTokens,
    completions: [[...tokens, 0]],
    masks: [[...tokens.map(() => 0), 1]],
  }));
  const { values_K } = await critic.score(packGroups(groups, batch.temperature), "policy");
  if (!values_K) throw new Error("internal: the critic has no value head");
  for (const [i, [q]] of cut.entries()) bootstrap_Q[q] = values_K[i]!;
  return bootstrap_Q;
}

/** Takes into a step what the critic foresaw. */
export async function takeValues(critic: Pick<AnyModel, "score">, step: SampledStep, { bootstrapTruncated }: RunConfig): Promise<void> {
  step.values_K = await criticValues(critic, step);
  if (bootstrapTruncated) step.bootstrap_Q = await cutOffValues(critic, step);
}

/** Moves the critic towards the returns, `valueEpochs` times. Throws StepRefused with its weights still good. */
export async function trainCritic(critic: Model, step: SampledStep, returns_K: Float64Array, config: RunConfig): Promise<CriticOutcome> {
  const { batch, mask_K, values_K: oldValues_K } = step;
  if (!oldValues_K) throw new Error("internal: the critic learns from values taken at sampling time");
  const totals = objectiveTotals({ mask_K, sequenceStart_Q: batch.sequenceStart_Q, entropies_K: null }, { topEntropyQuantile: 1 });
  let outcome: CriticOutcome = { loss: 0, clippedShare: 0 };
  for (let epoch = 0; epoch < config.valueEpochs; epoch++) {
    let loss = 0;
    let clipped = 0;
    const objective: Objective = (scores, { firstToken }) => {
      const tokens = scores.logprobs_K.length;
      const slice = <A extends { subarray(from: number, to: number): A }>(values_K: A) =>
        values_K.subarray(firstToken, firstToken + tokens);
      const gradient_K = new Float64Array(tokens);
      const input = {
        values_K: scores.values_K,
        oldValues_K: slice(oldValues_K),
        returns_K: slice(returns_K),
        mask_K: slice(mask_K),
        totals,
      };
      // Its own optimizer needs no weight against the policy's loss.
      const part = valueLoss(input, { valueCoef: 1, valueClip: config.valueClip }, gradient_K);
      if (!Number.isFinite(part.loss)) throw refused(`the value loss of step ${step.step} is ${part.loss}`);
      loss += part.loss;
      clipped += part.clipped;
      return { logprobs_K: new Float32Array(tokens), entropies_K: null, values_K: Float32Array.from(gradient_K) };
    };
    const optimizer = optimizerStep(config, config.valueLearningRate);
    const { gradNorm } = await critic.update({ batch, objective, exactKlCoef: 0, optimizer, microBatchTokens: config.microBatchTokens });
    if (!Number.isFinite(gradNorm)) throw refused(`the gradient norm of the critic in step ${step.step} is ${gradNorm}`);
    outcome = { loss, clippedShare: clipped / Math.max(1, totals.tokens) };
  }
  return outcome;
}
