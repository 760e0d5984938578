// How a server adds up a loss. By the API's documents a sequence's loss is the sum over its tokens, and cross-entropy
// with signed weights gives any gradient. Some servers (SkyRL 0.3 on JAX) divide each sequence's sum by the sum of its
// weights, and 1 is their weight of a token that comes without one. Signed weights are ruined there: what they come to
// is found out by trying, on a model made for it. Such a server gets importance sampling at the log-probs that it has
// just told, whose gradient is the advantages', over sequences of one length, with advantages multiplied by it.
import type { PartialScores } from "../../backend.ts";
import type { WholeSequence } from "../../wholeSequences.ts";
import { type Datum, datumOf } from "../sequences.ts";
import type { ServerModel, Update } from "../serverModel.ts";
import { knownDatum, lossOf, type SentLoss } from "./knownLoss.ts";

/** A step so large that it shows, with an epsilon so large that rounding makes none. */
const TRIAL = { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.999, eps: 1e-3, weightDecay: 0, maxGradNorm: 0 } as const;
/** Nats by which two answers about the same weights may differ. */
const ROUNDING = 1e-4;

/** Whether two equal sequences with weights 1 and -1 leave a model as it is. The model is good for nothing else afterwards. */
export async function sumsLosses(model: ServerModel, token: number): Promise<boolean> {
  const sequence: WholeSequence = { tokens: [token, token], targets: [token, token], places: Int32Array.of(0, 1), firstScore: 0 };
  const before = await model.forward([sequence]);
  await model.apply({ data: [1, -1].map((weight) => datumOf(sequence, Float32Array.of(weight, weight))), optimizer: TRIAL });
  const after = await model.forward([sequence]);
  return after[0]!.every((logprob, t) => Math.abs(logprob - before[0]![t]!) <= ROUNDING);
}

/** How many targets the longest has. */
const longestOf = (sequences: readonly WholeSequence[]) => sequences.reduce((most, { targets }) => Math.max(most, targets.length), 0);

/**
 * What a loss reads of sequences, for a server that divides by their lengths: the shorter ones go on with tokens that
 * weigh nothing, which no earlier token sees, and advantages are multiplied by what all are divided by.
 */
export function evened(sequences: readonly WholeSequence[], loss: SentLoss): readonly Datum[] {
  const longest = longestOf(sequences);
  const scaled = { ...loss, advantages_K: loss.advantages_K.map((advantage) => advantage * longest) };
  return sequences.map(({ tokens, targets, ...rest }) => {
    const whole = [...tokens, targets.at(-1)!, ...new Array<number>(longest - targets.length).fill(0)];
    return knownDatum({ ...rest, tokens: whole.slice(0, -1), targets: whole.slice(1) }, scaled);
  });
}

/** The update with minus this derivative at these scores, as a server takes it that sums losses or divides them. */
export function weighted(
  sequences: readonly WholeSequence[],
  { logprobs_K }: PartialScores,
  weights_K: Float32Array,
  sums: boolean,
): Omit<Update, "optimizer"> {
  if (sums) return { data: sequences.map((sequence) => datumOf(sequence, weights_K)) };
  const loss: SentLoss = { name: "importance_sampling", clip: null, old_K: logprobs_K, advantages_K: weights_K };
  return { data: evened(sequences, loss), loss: lossOf(loss) };
}
