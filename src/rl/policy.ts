// What a rollout asks of a policy. Sequences are opened at the end of their prompts, sampled turn by
// turn, extended between turns by tokens the policy did not sample (a tool's answer, another agent's
// words), and closed. Their keys and values are kept in between, so nothing is computed twice.
// B counts the sequences of the request at hand.
import type { SamplingOptions } from "./rollout/sampleToken.ts";

/** Whose weights speak: the policy's, or the frozen reference's. */
export type WeightSlot = "policy" | "reference";

/** Sequences to open. */
export interface OpenRequest {
  /** Different prompts, each at least one token. Sequences of one prompt share its keys and values. */
  readonly prompts: readonly (readonly number[])[];
  /** Prompt of each sequence, ascending: the sequences of a prompt are neighbours. */
  readonly promptOf_B: Int32Array;
  /** Tokens after the prompt that a sequence is expected to reach, sampled or not. One that grows longer costs time, no more. */
  readonly expectedTokens: number;
  /** Whose weights may take turns; the policy's alone where left out. Each keeps keys and values of its own. */
  readonly slots?: readonly WeightSlot[];
}

export function slotsOf({ slots = ["policy"] }: Pick<OpenRequest, "slots">): readonly WeightSlot[] {
  return slots;
}

/** A turn of some of the open sequences. At temperature 0 log-probs and entropies are those at temperature 1. */
export interface TurnRequest extends SamplingOptions {
  /** The sequences that take it, ascending, as places in the OpenRequest; the others rest, for a turn or for good. */
  readonly sequences_B: Int32Array;
  /** Whose weights take it, one of the request's slots; the policy's where left out. */
  readonly slot?: WeightSlot;
  readonly maxNewTokens: number;
  readonly stopTokens: readonly number[];
  /** One uniform draw in [0, 1) per possible token, [B, maxNewTokens]; the token is the inverse CDF. */
  readonly uniforms_BT: Float32Array;
  /** Called now and then with the number of decode steps done. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** What was sampled, sequence by sequence as requested; T = maxNewTokens. */
export interface SampleResult {
  /** -1 past the end. */
  readonly tokens_BT: Int32Array;
  /** Tokens sampled, the stop token included. */
  readonly lengths_B: Int32Array;
  /** log softmax(logits / temperature) of the sampled token, before top-k/p/min-p (as TRL scores it). */
  readonly logprobs_BT: Float32Array;
  /** Entropy of the same distribution, the one the token was drawn from before any filter (nats). */
  readonly entropies_BT: Float32Array;
  /** 1 where a stop token ended the turn, 0 where the limit did. */
  readonly stopped_B: Uint8Array;
}

/** The same as far as a policy can tell it: one elsewhere knows no entropies over the vocabulary, and then they are null. */
export interface PartialSample extends Omit<SampleResult, "entropies_BT"> {
  readonly entropies_BT: Float32Array | null;
}

/** A result without tokens, to write into. */
export function emptyResult(B: number, T: number): SampleResult {
  return {
    tokens_BT: new Int32Array(B * T).fill(-1),
    lengths_B: new Int32Array(B),
    logprobs_BT: new Float32Array(B * T),
    entropies_BT: new Float32Array(B * T),
    stopped_B: new Uint8Array(B),
  };
}

/** Sequences that are going on. */
export interface OpenSequences<Sampled extends PartialSample = PartialSample> {
  /** Adds tokens that the policy did not sample to the end of a sequence that has taken a turn. */
  extend(sequence: number, tokens: readonly number[]): void;
  sample(request: TurnRequest): Promise<Sampled>;
  /** Gives back what the sequences held; nothing may be asked of them afterwards. */
  close(): void;
}

/** Something that can be sampled from. While sequences are open, its weights stay as they are and nothing else is asked of it. */
export interface Policy<Sampled extends PartialSample = PartialSample> {
  /** Longest sequence it can take, prompt included. */
  readonly maxPositions: number;
  /** Throws a sentence where a prompt is empty or holds an unknown token. */
  open(request: OpenRequest): OpenSequences<Sampled>;
}

/** One turn of new sequences. */
export interface SampleRequest extends Omit<TurnRequest, "sequences_B"> {
  readonly prompts: readonly (readonly number[])[];
  /** Completions of each prompt; sequence b belongs to prompt floor(b / copies). */
  readonly copies: number;
}

/** Samples completions of prompts: opens them, takes one turn, closes them. */
export async function sampleCompletions<Sampled extends PartialSample>(policy: Policy<Sampled>, request: SampleRequest): Promise<Sampled> {
  const { prompts, copies, ...turn } = request;
  const B = prompts.length * copies;
  const promptOf_B = Int32Array.from({ length: B }, (_, b) => Math.floor(b / copies));
  const sequences = policy.open({ prompts, promptOf_B, expectedTokens: turn.maxNewTokens });
  try {
    return await sequences.sample({ ...turn, sequences_B: promptOf_B.map((_, b) => b) });
  } finally {
    sequences.close();
  }
}
