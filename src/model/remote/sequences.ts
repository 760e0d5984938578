// A packed batch as the Tinker API has sequences: each whole, its prompt repeated, its targets shifted by one. Scored tokens
// keep their order, so what comes back is put where it belongs without names.
import type { PackedBatch, PartialScores } from "../backend.ts";
import { ServerRefused } from "./failures.ts";

/** One sequence and where its scored tokens stand among its targets. */
export interface WholeSequence {
  /** What the model reads. */
  readonly tokens: readonly number[];
  /** What it is scored on, one for each token. */
  readonly targets: readonly number[];
  /** Place among the targets of each scored token, ascending. */
  readonly places: Int32Array;
  /** The first of its scored tokens in the batch. */
  readonly firstScore: number;
}

/** The segment that each row belongs to. */
function segmentOfRows({ tokens_N, segmentStart_S, segmentLength_S }: PackedBatch): Int32Array {
  const segmentOf_N = new Int32Array(tokens_N.length);
  for (let s = 0; s < segmentStart_S.length; s++) segmentOf_N.fill(s, segmentStart_S[s], segmentStart_S[s]! + segmentLength_S[s]!);
  return segmentOf_N;
}

/** The sequences of a batch, in order. */
export function wholeSequences(batch: PackedBatch): readonly WholeSequence[] {
  const { tokens_N, segmentStart_S, segmentLength_S, segmentPrefix_S, scoreRow_K, scoreTarget_K, sequenceStart_Q } = batch;
  const segmentOf_N = segmentOfRows(batch);
  const rowsOf = (segment: number) => tokens_N.subarray(segmentStart_S[segment], segmentStart_S[segment]! + segmentLength_S[segment]!);
  return Array.from({ length: sequenceStart_Q.length - 1 }, (_, q) => {
    const [first, end] = [sequenceStart_Q[q]!, sequenceStart_Q[q + 1]!];
    // The last token is a sampled one; the row that predicts it is the last that is read.
    const last = segmentOf_N[scoreRow_K[end - 1]!]!;
    const prefix = segmentPrefix_S[last]!;
    const tokens = [...(prefix < 0 ? [] : rowsOf(prefix)), ...rowsOf(last)];
    const ownStart = prefix < 0 ? 0 : segmentLength_S[prefix]!;
    const places = Int32Array.from({ length: end - first }, (_, i) => {
      const row = scoreRow_K[first + i]!;
      const segment = segmentOf_N[row]!;
      return row - segmentStart_S[segment]! + (segment === last ? ownStart : 0);
    });
    return { tokens, targets: [...tokens.slice(1), scoreTarget_K[end - 1]!], places, firstScore: first };
  });
}

/** A sequence with a weight for each of its targets, as the API's datum. */
export function datumOf({ tokens, targets, places, firstScore }: WholeSequence, weights_K: Float32Array | null): Datum {
  const weights = new Array<number>(targets.length).fill(0);
  for (const [i, place] of places.entries()) weights[place] = weights_K ? weights_K[firstScore + i]! : 1;
  const shape = [targets.length];
  return {
    model_input: { chunks: [{ type: "encoded_text", tokens }] },
    loss_fn_inputs: {
      target_tokens: { data: targets, dtype: "int64", shape },
      weights: { data: weights, dtype: "float32", shape },
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
  const runs: T[][] = [];
  let size = 0;
  for (const sequence of sequences) {
    const own = sizeOf(sequence);
    if (runs.length === 0 || size + own > most) {
      runs.push([]);
      size = 0;
    }
    runs.at(-1)!.push(sequence);
    size += own;
  }
  return runs;
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
