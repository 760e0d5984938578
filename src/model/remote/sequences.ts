// Whole sequences as the Tinker API has them, their targets shifted by one, and what comes back of them.
import { cutSpans, type PartialScores, sumsBefore } from "../backend.ts";
import type { WholeSequence } from "../wholeSequences.ts";
import { ServerRefused } from "./failures.ts";

/** A sequence with a weight for each of its targets, as the API's datum; null weighs each as 1. */
export const datumOf = (sequence: WholeSequence, weights_K: Float32Array | null): Datum =>
  datumWith(sequence, { weights: (k) => weights_K?.[k] ?? 1 });

/** A sequence with what a loss reads at its scored tokens, by the loss's names, as the API's datum. Places that are not scored have 0. */
export function datumWith(
  { tokens, targets, places, firstScore }: WholeSequence,
  inputs: Readonly<Record<string, (k: number) => number>>,
): Datum {
  const shape = [targets.length];
  const at = (value: (k: number) => number) => {
    const data = new Array<number>(targets.length).fill(0);
    for (const [i, place] of places.entries()) data[place] = value(firstScore + i);
    return { data, dtype: "float32", shape };
  };
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens }] },
    loss_fn_inputs: {
      target_tokens: { data: targets, dtype: "int64", shape },
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, at(value)])),
    },
  };
}

interface ApiTensor {
  readonly data: readonly number[];
  readonly dtype: string;
  readonly shape: readonly number[];
}

/** A sequence with what a loss reads of it. */
export interface Datum {
  readonly model_input: { readonly chunks: readonly { readonly type: string; readonly tokens: readonly number[] }[] };
  readonly loss_fn_inputs: { readonly target_tokens: ApiTensor } & Readonly<Record<string, ApiTensor>>;
}

/** Sequences in runs of so many tokens, at least one sequence each: what one request carries. */
export function inRuns<T>(sequences: readonly T[], sizeOf: (sequence: T) => number, most: number): readonly (readonly T[])[] {
  const before = sumsBefore(sequences.map(sizeOf));
  const spans = cutSpans(sequences.length, (first, last) => before[last]! - before[first]! <= most);
  return spans.map(({ first, last }) => sequences.slice(first, last));
}

/** The log-probs of scored tokens among those of all targets. */
export function scoresOf(sequences: readonly WholeSequence[], outputs: readonly (readonly number[])[], K: number): PartialScores {
  if (outputs.length !== sequences.length) throw new ServerRefused(`the server scored ${outputs.length} of ${sequences.length} sequences`);
  const logprobs_K = new Float32Array(K);
  for (const [q, { places, targets, firstScore }] of sequences.entries()) {
    const output = outputs[q]!;
    // A sequence that was lengthened is scored beyond its end.
    if (output.length < targets.length)
      throw new ServerRefused(`the server scored ${output.length} tokens of a sequence of ${targets.length}`);
    for (const [i, place] of places.entries()) logprobs_K[firstScore + i] = output[place]!;
  }
  return { logprobs_K, entropies_K: null, values_K: null };
}
