// From the packed batch to a padded one: tfjs works on rectangles, so each sequence gets a row of its
// own with its prefix repeated, padded at the end. Causality keeps padding out of every real position.
import { cutSpans, type PackedBatch } from "../backend.ts";
import { type WholeSequence, wholeSequences } from "../wholeSequences.ts";

/** Cuts the batch between sequences into padded pieces of at most about `maxRows` padded rows each. */
export function padBatch(batch: PackedBatch, maxRows: number): PaddedPiece[] {
  const paths = wholeSequences(batch);
  const longest = (first: number, last: number) => Math.max(...paths.slice(first, last).map(({ tokens }) => tokens.length));
  const spans = cutSpans(paths.length, (first, last) => (last - first) * longest(first, last) <= maxRows);
  const pieces = spans.map(({ first, last }) => padPaths(batch, paths.slice(first, last), first, longest(first, last)));
  return pieces.filter(({ rows_K }) => rows_K.length > 0);
}

function padPaths(batch: PackedBatch, paths: readonly WholeSequence[], first: number, T: number) {
  const tokens_BT = new Int32Array(paths.length * T);
  for (const [b, { tokens }] of paths.entries()) tokens_BT.set(tokens, b * T);
  const last = first + paths.length;
  const firstToken = batch.sequenceStart_Q[first]!;
  return {
    firstSequence: first,
    lastSequence: last,
    firstToken,
    T,
    tokens_BT,
    /** Row b * T + t of each scored token, and the token. */
    rows_K: Int32Array.from(paths.flatMap(({ places }, b) => Array.from(places, (t) => b * T + t))),
    targets_K: batch.scoreTarget_K.slice(firstToken, batch.sequenceStart_Q[last]!),
  };
}
/** Sequences [firstSequence, lastSequence) as rows of T tokens. */
export type PaddedPiece = ReturnType<typeof padPaths>;
