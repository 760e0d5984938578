// A policy whose turns another program samples, such as TRL's process on its own device. What is asked of it goes out as an
// order with whole contexts, since nobody knows which keys and values that program has kept; ids come back.
import { emptyResult, type OpenRequest, type OpenSequences, type PartialSample, type Policy, type TurnRequest } from "../../rl/policy.ts";
import type { SamplingOptions } from "../../rl/rollout/sampleToken.ts";

/** Turns to sample: one of each context, by these options; temperature 0 for the likeliest. */
export interface TurnOrder extends SamplingOptions {
  readonly contexts: readonly (readonly number[])[];
  /** Place of each among the conversations of the exchange. */
  readonly sequences: readonly number[];
  readonly maxNewTokens: number;
}

/** Resolves to the sampled ids of each context, in order. */
export type SampleElsewhere = (order: TurnOrder) => Promise<readonly (readonly number[])[]>;

/** What of the ids counts as the turn: up to the first that ends one, and no more than were asked for. */
function turnOf(ids: readonly number[], { stopTokens, maxNewTokens }: TurnRequest): readonly number[] {
  const end = ids.findIndex((id) => stopTokens.includes(id));
  return ids.slice(0, Math.min(maxNewTokens, end < 0 ? ids.length : end + 1));
}

/** Nobody here knows the log-probs of what was sampled there: they are told as 0 and used by nothing. */
function resultOf(turns: readonly (readonly number[])[], request: TurnRequest): PartialSample {
  const { maxNewTokens: T, stopTokens } = request;
  const result = { ...emptyResult(turns.length, T), entropies_BT: null };
  for (const [b, ids] of turns.entries()) {
    const turn = turnOf(ids, request);
    if (turn.length === 0) throw new Error("a sampled turn must have at least one token, got none");
    result.tokens_BT.set(turn, b * T);
    result.lengths_B[b] = turn.length;
    result.stopped_B[b] = stopTokens.includes(turn.at(-1)!) ? 1 : 0;
  }
  return result;
}

function openElsewhere({ prompts, promptOf_B }: OpenRequest, sample: SampleElsewhere): OpenSequences {
  const tokens_B = Array.from(promptOf_B, (prompt) => [...prompts[prompt]!]);
  return {
    extend: (sequence, tokens) => void tokens_B[sequence]!.push(...tokens),
    async sample(request) {
      const { sequences_B, maxNewTokens, temperature, topK, topP, minP } = request;
      const sequences = Array.from(sequences_B);
      const contexts = sequences.map((sequence) => tokens_B[sequence]!);
      const turns = await sample({ contexts, sequences, maxNewTokens, temperature, topK, topP, minP });
      if (turns.length !== sequences.length) throw new Error(`${sequences.length} turns were asked for, got ${turns.length}`);
      const result = resultOf(turns, request);
      for (const [b, sequence] of sequences.entries())
        tokens_B[sequence]!.push(...result.tokens_BT.subarray(b * maxNewTokens, b * maxNewTokens + result.lengths_B[b]!));
      return result;
    },
    close() {},
  };
}

/** @param maxPositions longest sequence that the model there takes. */
export function elsewherePolicy(maxPositions: number, sample: SampleElsewhere): Policy {
  return { maxPositions, open: (request) => openElsewhere(request, sample) };
}
