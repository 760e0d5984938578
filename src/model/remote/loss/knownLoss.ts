// Losses that servers of the Tinker API know by name. Where one of them equals the objective, a single forward_backward gives log-probs and
// gradient, in the place of a forward before it. What a loss of that name comes to at the log-probs that the server
// answers with is worked out here, and compared with the objective's own derivative before the optimizer takes its
// step; that a server's losses are what their names say is held by npm run test:interop.
import { exp } from "../../../rl/exactMath.ts";
import type { PartialScores } from "../../backend.ts";
import type { GradientRequest, KnownLoss } from "../../model.ts";
import type { WholeSequence } from "../../wholeSequences.ts";
import { type Datum, datumWith } from "../sequences.ts";

/** The derivative of a server's loss with respect to each log-prob. */
export function knownSlopes({ slope, old_K, advantages_K }: KnownLoss, logprobs_K: Float32Array): Float32Array {
  return logprobs_K.map((logprob, k) => slope(advantages_K[k]!, exp(logprob - old_K[k]!)));
}

/** So far apart may two derivatives be, in single precision, as a share of the largest. */
const TOLERANCE = 1e-5;

/** Whether two derivatives are the same. */
export function agree(one_K: Float32Array, other_K: Float32Array): boolean {
  const largest = one_K.reduce((most, slope) => Math.max(most, Math.abs(slope)), 0);
  return one_K.every((slope, k) => Math.abs(slope - other_K[k]!) <= TOLERANCE * largest);
}

/** What of a loss is sent. */
export type SentLoss = Omit<KnownLoss, "slope">;

/** A sequence with what a server's loss reads of it, as the API's datum. Places that are not scored have advantage 0. */
export function knownDatum(sequence: WholeSequence, { name, old_K, advantages_K }: SentLoss): Datum {
  const advantages = (k: number) => advantages_K[k]!;
  return datumWith(sequence, name === "cross_entropy" ? { weights: advantages } : { logprobs: (k) => old_K[k]!, advantages });
}

/** The loss as a request names it. */
export function lossOf({ name, clip }: Pick<KnownLoss, "name" | "clip">) {
  return { loss_fn: name, ...(clip ? { loss_fn_config: { clip_low_threshold: clip[0], clip_high_threshold: clip[1] } } : {}) };
}

/** What the policy said, and minus the derivative that the objective makes of it. */
export function derived({ batch, objective, exactKlCoef }: GradientRequest, scores: PartialScores) {
  if (exactKlCoef !== 0) throw new Error("internal: exact KL is not available on a server");
  const { logprobs_K } = objective(scores, { firstSequence: 0, lastSequence: batch.sequenceStart_Q.length - 1, firstToken: 0 });
  return { scores, weights_K: logprobs_K.map((slope) => 0 - slope) };
}
