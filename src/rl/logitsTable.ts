// A softmax over a table of logits, forwards and backwards: what the tabular policy is, and what the lessons
// show of it. One independent categorical per position; float64 throughout.
import { exp, log } from "./exactMath.ts";

/** log softmax(logits / temperature) of every position, [T, V], its exponential, and the entropies, [T] (nats). */
export function logSoftmaxTable(logits_TV: Float64Array, T: number, V: number, temperature: number) {
  const logprobs_TV = new Float64Array(T * V);
  const probabilities_TV = new Float64Array(T * V);
  const entropies_T = new Float64Array(T);
  for (let t = 0; t < T; t++) {
    const base = t * V;
    let max = Number.NEGATIVE_INFINITY;
    for (let v = 0; v < V; v++) max = Math.max(max, logits_TV[base + v]! / temperature);
    let sum = 0;
    for (let v = 0; v < V; v++) sum += exp(logits_TV[base + v]! / temperature - max);
    const logNorm = max + log(sum);
    let entropy = 0;
    for (let v = 0; v < V; v++) {
      const logprob = logits_TV[base + v]! / temperature - logNorm;
      const probability = exp(logprob);
      logprobs_TV[base + v] = logprob;
      probabilities_TV[base + v] = probability;
      entropy -= probability * logprob;
    }
    entropies_T[t] = entropy;
  }
  return { logprobs_TV, probabilities_TV, entropies_T };
}
export type LogitsTable = ReturnType<typeof logSoftmaxTable>;

/** What a table's log-probs are, and at which temperature. */
interface TableScores extends LogitsTable {
  readonly vocabulary: number;
  readonly temperature: number;
}

/** dLoss by the log-probs and, where an entropy counts, the entropies of sampled tokens; sequences lie end to end. */
interface TokenPushes {
  readonly tokens_K: ArrayLike<number>;
  readonly sequenceStart_Q: Int32Array;
  readonly logprobs_K: ArrayLike<number>;
  readonly entropies_K: ArrayLike<number> | null;
}

/** dLoss/dlogits, [T, V]: a log-prob pushes (onehot - p), an entropy pushes -p (log p + H); both over temperature. */
export function logitsGradient(
  { logprobs_TV, probabilities_TV, entropies_T, vocabulary: V, temperature }: TableScores,
  pushes: TokenPushes,
): Float64Array {
  const T = entropies_T.length;
  const gradient_TV = new Float64Array(T * V);
  const pushed_T = new Float64Array(T); // sum of log-prob gradients at a position, times p below
  const entropy_T = new Float64Array(T);
  for (let q = 0; q + 1 < pushes.sequenceStart_Q.length; q++) {
    const start = pushes.sequenceStart_Q[q]!;
    for (let k = start; k < pushes.sequenceStart_Q[q + 1]!; k++) {
      const g = pushes.logprobs_K[k]!;
      gradient_TV[(k - start) * V + pushes.tokens_K[k]!]! += g;
      pushed_T[k - start]! += g;
      if (pushes.entropies_K) entropy_T[k - start]! += pushes.entropies_K[k]!;
    }
  }
  for (let t = 0; t < T; t++) {
    for (let v = 0; v < V; v++) {
      const push = pushed_T[t]! + entropy_T[t]! * (logprobs_TV[t * V + v]! + entropies_T[t]!);
      gradient_TV[t * V + v] = (gradient_TV[t * V + v]! - probabilities_TV[t * V + v]! * push) / temperature;
    }
  }
  return gradient_TV;
}
