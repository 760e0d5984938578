// The choice of one token from its log-probabilities: the plain reference for every sampler here.
// Filters apply in the order of transformers' generate: top-k, then top-p over what is left
// (Holtzman et al. 2020, "The Curious Case of Neural Text Degeneration"), then min-p (Nguyen et al.
// 2024, "Turning Up the Heat"). Unlike there, of equally likely tokens the lower id goes first, so
// that k is exact. What is left is renormalised.
import { exp } from "../exactMath.ts";

/** How tokens are drawn. */
export interface SamplingOptions {
  /** 0 chooses the most likely token. Otherwise the log-probabilities already include it. */
  readonly temperature: number;
  /** Keep the k most likely tokens; 0 keeps all. */
  readonly topK: number;
  /** Keep the fewest most likely tokens whose probabilities reach p; 1 keeps all. */
  readonly topP: number;
  /** Keep tokens at least this share as likely as the most likely one; 0 keeps all. */
  readonly minP: number;
}

/** The most likely token, the lowest id among equals. */
export function mostLikelyToken(scores_V: ArrayLike<number>): number {
  let best = 0;
  for (let v = 1; v < scores_V.length; v++) if (scores_V[v]! > scores_V[best]!) best = v;
  return best;
}

/**
 * The token at `uniform` in [0, 1) of the inverse CDF over the kept tokens in id order, or the most
 * likely one at temperature 0. `logprobs_V` is log softmax(logits / temperature), in nats.
 */
export function sampleToken(logprobs_V: Float32Array | Float64Array, options: SamplingOptions, uniform: number): number {
  return options.temperature === 0 ? mostLikelyToken(logprobs_V) : inverseCdf(truncatedProbabilities(logprobs_V, options), uniform);
}

/** Probabilities of the tokens that pass the filters, 0 elsewhere; not renormalised. */
export function truncatedProbabilities(logprobs_V: Float32Array | Float64Array, options: SamplingOptions): Float64Array {
  const probabilities_V = new Float64Array(logprobs_V.length);
  for (let v = 0; v < probabilities_V.length; v++) probabilities_V[v] = exp(logprobs_V[v]!);
  if (options.topK > 0 || options.topP < 1) dropUnlikely(probabilities_V, options.topK, options.topP);
  if (options.minP > 0) {
    const least = options.minP * probabilities_V[mostLikelyToken(probabilities_V)]!;
    for (let v = 0; v < probabilities_V.length; v++) if (probabilities_V[v]! < least) probabilities_V[v] = 0;
  }
  return probabilities_V;
}

/** Sets all but the top k, and of those all but the fewest that reach share p, to zero. */
function dropUnlikely(probabilities_V: Float64Array, topK: number, topP: number): void {
  const order = Array.from(probabilities_V.keys()).sort((a, b) => probabilities_V[b]! - probabilities_V[a]! || a - b);
  const limit = topK > 0 ? Math.min(topK, order.length) : order.length;
  let total = 0;
  for (let rank = 0; rank < limit; rank++) total += probabilities_V[order[rank]!]!;
  let kept = limit;
  if (topP < 1) {
    let reached = 0;
    kept = 0;
    while (kept < limit && (kept === 0 || reached < topP * total)) reached += probabilities_V[order[kept++]!]!;
  }
  for (let rank = kept; rank < order.length; rank++) probabilities_V[order[rank]!] = 0;
}

/** First id whose cumulated weight exceeds uniform * total; weights need not sum to 1. */
export function inverseCdf(weights_V: Float64Array, uniform: number): number {
  let total = 0;
  for (let v = 0; v < weights_V.length; v++) total += weights_V[v]!;
  const target = uniform * total;
  let reached = 0;
  let last = 0;
  for (let v = 0; v < weights_V.length; v++) {
    if (weights_V[v] === 0) continue;
    reached += weights_V[v]!;
    last = v;
    if (reached > target) return v;
  }
  return last; // rounding left the target unreached
}
