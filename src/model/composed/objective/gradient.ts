// The objective on tensors with plain arrays in and out, in the form of rl/objective.ts: what the two
// are compared by.
import * as tf from "@tensorflow/tfjs";
import type { FixedInput, ObjectiveConfig, ObjectiveInput, ObjectiveResult } from "../../../rl/objective/types.ts";
import { tidy } from "../differentiable.ts";
import { flatOf, type TokenTable, tableOf, tokenTable } from "../tokenTable.ts";
import { lossParts, totalLoss } from "./objective.ts";
import type { FixedTables, ScoreTables } from "./types.ts";

export type TensorObjectiveResult = Pick<
  ObjectiveResult,
  "loss" | "policyLoss" | "klLoss" | "entropyLoss" | "valueLoss" | "gradLogprobs_K" | "gradEntropies_K" | "gradValues_K"
>;

/** Everything of an input that is not differentiated, as tables. */
export function fixedTables(table: TokenTable, input: FixedInput): FixedTables {
  const optional = (values_K: ArrayLike<number> | null) => values_K && tableOf(table, values_K);
  return {
    oldLogprobs_QT: tableOf(table, input.oldLogprobs_K),
    refLogprobs_QT: optional(input.refLogprobs_K),
    advantages_QT: tableOf(table, input.advantages_K),
    mask_QT: tableOf(table, input.mask_K),
    oldValues_QT: optional(input.oldValues_K),
    returns_QT: optional(input.returns_K),
    totals: input.totals,
  };
}

/** Loss and gradients of `input` in float32, on whichever tfjs backend is selected. */
export async function tensorObjective(input: ObjectiveInput, config: ObjectiveConfig): Promise<TensorObjectiveResult> {
  const table = tokenTable(input.sequenceStart_Q);
  const fixed = fixedTables(table, input);
  const scores: ScoreTables = {
    logprobs_QT: tableOf(table, input.logprobs_K),
    entropies_QT: tableOf(table, input.entropies_K),
    values_QT: input.values_K && tableOf(table, input.values_K),
  };
  const hasEntropies = config.entropyCoef !== 0;
  // tfjs refuses to differentiate by what the loss does not read.
  const moving = [scores.logprobs_QT, ...(hasEntropies ? [scores.entropies_QT] : []), ...(scores.values_QT ? [scores.values_QT] : [])];
  const parts = tidy(() => lossParts(scores, fixed, config));
  const { value, grads } = tf.valueAndGrads(() => totalLoss(lossParts(scores, fixed, config)))(moving);
  const made = [value, ...grads, ...Object.values(parts), ...Object.values(scores), ...Object.values(fixed)];
  try {
    const numbers = async (tensor: tf.Tensor | null) => (tensor ? (await tensor.data())[0]! : 0);
    const flat = async (index: number) => flatOf(table, await grads[index]!.data());
    return {
      loss: await numbers(value),
      policyLoss: await numbers(parts.policyLoss),
      klLoss: await numbers(parts.klLoss),
      entropyLoss: await numbers(parts.entropyLoss),
      valueLoss: await numbers(parts.valueLoss),
      gradLogprobs_K: await flat(0),
      gradEntropies_K: hasEntropies ? await flat(1) : null,
      gradValues_K: scores.values_QT ? await flat(grads.length - 1) : null,
    };
  } finally {
    tf.dispose(made.filter((one): one is tf.Tensor => one instanceof tf.Tensor));
  }
}
