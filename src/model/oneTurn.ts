// Lets a sampler of whole completions serve as a policy whose sequences take one turn.
import type { OpenRequest, OpenSequences, SampleRequest, SampleResult } from "../rl/policy.ts";

/** Sequences that are sampled once, all together, with the same number of them for every prompt. */
export function oneTurn(
  { prompts, promptOf_B }: OpenRequest,
  sample: (request: SampleRequest) => Promise<Omit<SampleResult, "entropies_BT">>,
): OpenSequences {
  const refuse = () => {
    throw new Error("internal: these sequences take one turn only");
  };
  let taken = false;
  return {
    extend: refuse,
    async sample({ sequences_B, ...turn }) {
      if (taken || sequences_B.length !== promptOf_B.length) refuse();
      taken = true;
      const result = await sample({ ...turn, prompts, copies: promptOf_B.length / Math.max(1, prompts.length) });
      return { ...result, entropies_BT: new Float32Array(result.logprobs_BT.length) };
    },
    close: () => {},
  };
}
