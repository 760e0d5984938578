// The policy that knows nothing: every token is as likely as any other. What it reaches is the random
// baseline, measured by the same rollouts as everything else.
import { log } from "../exactMath.ts";
import { emptyResult, type Policy, type SampleResult, type TurnRequest } from "../policy.ts";

function sampleUniformly(vocabulary: number, { sequences_B, maxNewTokens: T, stopTokens, uniforms_BT }: TurnRequest): SampleResult {
  const B = sequences_B.length;
  const result = emptyResult(B, T);
  const { tokens_BT, lengths_B, stopped_B, logprobs_BT, entropies_BT } = result;
  for (let b = 0; b < B; b++) {
    for (let t = 0; t < T && stopped_B[b] === 0; t++) {
      const token = Math.floor(uniforms_BT[b * T + t]! * vocabulary);
      tokens_BT[b * T + t] = token;
      lengths_B[b] = t + 1;
      if (stopTokens.includes(token)) stopped_B[b] = 1;
    }
  }
  const entropy = log(vocabulary);
  logprobs_BT.fill(-entropy);
  entropies_BT.fill(entropy);
  return result;
}

/** Draws every token uniformly from the ids 0 to vocabulary - 1, whatever the temperature and the filters. */
export function uniformPolicy(vocabulary: number): Policy {
  return {
    maxPositions: Number.POSITIVE_INFINITY,
    open: () => ({ extend: () => {}, sample: async (request) => sampleUniformly(vocabulary, request), close: () => {} }),
  };
}
