// How token losses become one number, as a weight per token: loss = Σ_k weight_k · loss_k.
// - sequence-mean: mean over completions of their token mean (GRPO; long completions weigh less per token)
// - token-mean: mean over all trained tokens of the optimizer batch (DAPO)
// - micro-token-mean: token mean within a micro-batch, micro-batches averaged by their number of
//   completions (BNPO); the only one that depends on how the batch is cut
// - constant-length: sum over completions / (completions · length limit) (Dr. GRPO)
// - sequence-sum: mean over completions of their token sum (LUSPO, RLOO, REINFORCE)
import type { ObjectiveConfig } from "../../protocol/config/configFacts.ts";
import type { ObjectiveInput, Ratios } from "./types.ts";

/** Weight of each trained token, [K]; 0 elsewhere. */
export function aggregationWeights(
  input: ObjectiveInput,
  ratios: Ratios,
  config: Pick<ObjectiveConfig, "aggregation" | "maxCompletionTokens">,
): Float64Array {
  const { mask_K, sequenceStart_Q, totals } = input;
  const { trained_Q } = ratios;
  const weight_K = new Float64Array(mask_K.length);
  const base = sequenceStart_Q[0]!;
  const sequences = Math.max(1, totals.sequences);
  let weight = uniformWeight(config, totals.tokens, sequences, trained_Q);
  for (let q = 0; q < trained_Q.length; q++) {
    if (config.aggregation === "sequence-mean") weight = 1 / (Math.max(1, trained_Q[q]!) * sequences);
    const end = sequenceStart_Q[q + 1]! - base;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) if (mask_K[k]) weight_K[k] = weight;
  }
  return weight_K;
}

function uniformWeight(
  config: Pick<ObjectiveConfig, "aggregation" | "maxCompletionTokens">,
  tokens: number,
  sequences: number,
  trained_Q: Float64Array,
): number {
  switch (config.aggregation) {
    case "token-mean":
      return 1 / Math.max(1, tokens);
    case "micro-token-mean":
      return (
        trained_Q.length /
        sequences /
        Math.max(
          1,
          trained_Q.reduce((sum, count) => sum + count, 0),
        )
      );
    case "constant-length":
      return 1 / (sequences * config.maxCompletionTokens);
    default:
      return 1 / sequences;
  }
}
