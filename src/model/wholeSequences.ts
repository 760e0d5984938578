// The sequences of a packed batch, each whole with its prompt repeated: what reads them one by one, padded or sent elsewhere.
// Scored tokens keep their order, so what comes back is put where it belongs without names.
import type { PackedBatch } from "./backend.ts";

/** One sequence and where its scored tokens stand among its targets. */
export interface WholeSequence {
  /** What the model reads, up to the last row that is scored. */
  readonly tokens: readonly number[];
  /** What it is scored on, one for each token. */
  readonly targets: readonly number[];
  /** Place among the targets of each scored token, ascending. */
  readonly places: Int32Array;
  /** The first of its scored tokens in the batch. */
  readonly firstScore: number;
}

/** The sequences of a batch, in order; one without scored tokens is empty. */
export function wholeSequences(batch: PackedBatch): readonly WholeSequence[] {
  const { tokens_N, segmentStart_S, segmentLength_S, segmentPrefix_S, scoreRow_K, scoreTarget_K, sequenceStart_Q } = batch;
  const segmentOf_N = new Int32Array(tokens_N.length);
  for (const [s, start] of segmentStart_S.entries()) segmentOf_N.fill(s, start, start + segmentLength_S[s]!);
  return Array.from({ length: sequenceStart_Q.length - 1 }, (_, q) => {
    const firstScore = sequenceStart_Q[q]!;
    const end = sequenceStart_Q[q + 1]!;
    if (firstScore === end) return { tokens: [], targets: [], places: new Int32Array(0), firstScore };
    // The last token is a sampled one; the row that predicts it is the last that is read.
    const lastRow = scoreRow_K[end - 1]!;
    const last = segmentOf_N[lastRow]!;
    const prefix = segmentPrefix_S[last]!;
    const ownStart = prefix < 0 ? 0 : segmentLength_S[prefix]!;
    const rowsOfPrefix = prefix < 0 ? [] : tokens_N.subarray(segmentStart_S[prefix], segmentStart_S[prefix]! + ownStart);
    const tokens = [...rowsOfPrefix, ...tokens_N.subarray(segmentStart_S[last], lastRow + 1)];
    const places = scoreRow_K.subarray(firstScore, end).map((row) => {
      const segment = segmentOf_N[row]!;
      return row - segmentStart_S[segment]! + (segment === last ? ownStart : 0);
    });
    return { tokens, targets: [...tokens.slice(1), scoreTarget_K[end - 1]!], places, firstScore };
  });
}
