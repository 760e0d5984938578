// From the packed batch to a padded one: tfjs works on rectangles, so each sequence gets a row of its
// own with its prefix repeated, padded at the end. Causality keeps padding out of every real position.
import type { PackedBatch } from "../backend.ts";
import { type WholeSequence, wholeSequences } from "../wholeSequences.ts";

/** Cuts the batch between sequences into padded pieces of at most about `maxRows` padded rows each. */
export function padBatch(batch: PackedBatch, maxRows: number): PaddedPiece[] {
  const pieces: PaddedPiece[] = [];
  let paths: WholeSequence[] = [];
  let T = 0;
  let first = 0;
  for (const [q, path] of wholeSequences(batch).entries()) {
    const widened = Math.max(T, path.tokens.length);
    if (paths.length > 0 && widened * (paths.length + 1) > maxRows) {
      pieces.push(padPaths(batch, paths, first, T));
      paths = [];
      first = q;
      T = 0;
    }
    paths.push(path);
    T = Math.max(T, path.tokens.length);
  }
  if (paths.length > 0) pieces.push(padPaths(batch, paths, first, T));
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
