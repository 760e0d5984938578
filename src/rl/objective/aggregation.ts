// How token losses become one number, as a weight per token: loss = Σ_k weight_k · loss_k. A registry; each says its
// weight, how a reader is told it, and what it is called at TRL and verl. The first is the default.
import type { ObjectiveInput, Ratios } from "./types.ts";

/** What a weight is made of: the optimizer batch, and the part of it at hand. */
interface Counted {
  readonly tokens: number;
  readonly sequences: number;
  readonly partTokens: number;
  readonly partSequences: number;
  readonly maxCompletionTokens: number;
}

interface Aggregation {
  readonly id: string;
  readonly title: string;
  /** Weight of each token of a sequence that has so many trained ones. */
  readonly weight: (counted: Counted, trained: number) => number;
  /** It depends on how the batch is cut into micro-batches. */
  readonly isOfPart?: true;
  /** As in TRL the mean entropy is then over all trained tokens, else over those that pass the top-entropy mask. */
  readonly meansAllEntropies?: true;
  /** What a token's loss is multiplied with, by letters; Q completions in the optimizer batch. */
  readonly tex: string;
  /** The same in words, after "its weight is". */
  readonly words: string;
  readonly trl: string;
  readonly verl?: string;
}

export const aggregations = [
  {
    // GRPO: tokens of long completions weigh less.
    id: "sequence-mean",
    title: "Mean per completion",
    weight: ({ sequences }, trained) => 1 / (Math.max(1, trained) * sequences),
    tex: "\\tfrac{1}{Q\\,|o|}",
    words: "one over the completions times this one's length: a long answer weighs less per token",
    trl: "grpo",
    verl: "seq-mean-token-mean",
  },
  {
    // DAPO.
    id: "token-mean",
    title: "Mean over tokens",
    weight: ({ tokens }) => 1 / Math.max(1, tokens),
    meansAllEntropies: true,
    tex: "\\tfrac{1}{\\sum_i |o_i|}",
    words: "one over all trained tokens of the batch: every token weighs the same",
    trl: "dapo",
    verl: "token-mean",
  },
  {
    // BNPO: token mean within a micro-batch, micro-batches averaged by their number of completions.
    id: "micro-token-mean",
    title: "Mean over a micro-batch",
    weight: ({ sequences, partSequences, partTokens }) => partSequences / sequences / Math.max(1, partTokens),
    isOfPart: true,
    tex: "\\tfrac{1}{\\sum_i |o_i|}",
    words: "one over the trained tokens of its micro-batch",
    trl: "bnpo",
  },
  {
    // Dr. GRPO.
    id: "constant-length",
    title: "Constant length",
    weight: ({ sequences, maxCompletionTokens }) => 1 / (sequences * maxCompletionTokens),
    tex: "\\tfrac{1}{Q\\,T_{\\max}}",
    words: "one over the completions times the length limit: length plays no part",
    trl: "dr_grpo",
    verl: "seq-mean-token-sum-norm",
  },
  {
    // LUSPO, RLOO, REINFORCE.
    id: "sequence-sum",
    title: "Sum per completion",
    weight: ({ sequences }) => 1 / sequences,
    tex: "\\tfrac{1}{Q}",
    words: "one over the completions: the tokens of an answer add up",
    trl: "luspo",
    verl: "seq-mean-token-sum",
  },
] as const satisfies readonly Aggregation[];

export function aggregationOf({ aggregation }: { readonly aggregation: (typeof aggregations)[number]["id"] }): Aggregation {
  return aggregations.find(({ id }) => id === aggregation)!;
}

/** Weight of each trained token, [K]; 0 elsewhere. */
export function aggregationWeights(
  { mask_K, sequenceStart_Q, totals }: ObjectiveInput,
  { trained_Q }: Ratios,
  config: Parameters<typeof aggregationOf>[0] & Pick<Counted, "maxCompletionTokens">,
): Float64Array {
  const { weight: weightOf } = aggregationOf(config);
  const counted: Counted = {
    tokens: totals.tokens,
    sequences: Math.max(1, totals.sequences),
    partTokens: trained_Q.reduce((sum, count) => sum + count, 0),
    partSequences: trained_Q.length,
    maxCompletionTokens: config.maxCompletionTokens,
  };
  const weight_K = new Float64Array(mask_K.length);
  const base = sequenceStart_Q[0]!;
  for (let q = 0; q < trained_Q.length; q++) {
    const weight = weightOf(counted, trained_Q[q]!);
    const end = sequenceStart_Q[q + 1]! - base;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) if (mask_K[k]) weight_K[k] = weight;
  }
  return weight_K;
}
