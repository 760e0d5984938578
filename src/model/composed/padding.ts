// From the packed batch to a padded one: tfjs works on rectangles, so each sequence gets a row of its
// own with its prefix repeated, padded at the end. Causality keeps padding out of every real position.
import type { PackedBatch } from "../backend.ts";

interface Path {
  readonly tokens: Int32Array;
  /** Position in the sequence of each of its scored rows. */
  readonly scored: readonly number[];
}

function segmentOfRow(batch: PackedBatch): Int32Array {
  const segment_N = new Int32Array(batch.tokens_N.length);
  for (const [s, start] of batch.segmentStart_S.entries()) segment_N.fill(s, start, start + batch.segmentLength_S[s]!);
  return segment_N;
}

/** The tokens of sequence q up to its last scored row, prefix first. */
function pathOf(batch: PackedBatch, segment_N: Int32Array, q: number): Path {
  const rows = batch.scoreRow_K.subarray(batch.sequenceStart_Q[q]!, batch.sequenceStart_Q[q + 1]!);
  const lastRow = rows.at(-1);
  if (lastRow === undefined) return { tokens: new Int32Array(0), scored: [] };
  const segment = segment_N[lastRow]!;
  const start = batch.segmentStart_S[segment]!;
  const prefix = batch.segmentPrefix_S[segment]!;
  const prefixStart = prefix < 0 ? 0 : batch.segmentStart_S[prefix]!;
  const prefixLength = prefix < 0 ? 0 : batch.segmentLength_S[prefix]!;
  const tokens = Int32Array.of(
    ...batch.tokens_N.subarray(prefixStart, prefixStart + prefixLength),
    ...batch.tokens_N.subarray(start, lastRow + 1),
  );
  const scored = Array.from(rows, (row) => (segment_N[row] === segment ? prefixLength + row - start : row - prefixStart));
  return { tokens, scored };
}

/** Cuts the batch between sequences into padded pieces of at most about `maxRows` padded rows each. */
export function padBatch(batch: PackedBatch, maxRows: number): PaddedPiece[] {
  const segment_N = segmentOfRow(batch);
  const pieces: PaddedPiece[] = [];
  let paths: Path[] = [];
  let T = 0;
  let first = 0;
  const sequences = batch.sequenceStart_Q.length - 1;
  for (let q = 0; q < sequences; q++) {
    const path = pathOf(batch, segment_N, q);
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

function padPaths(batch: PackedBatch, paths: readonly Path[], first: number, T: number) {
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
    rows_K: Int32Array.from(paths.flatMap(({ scored }, b) => scored.map((t) => b * T + t))),
    targets_K: batch.scoreTarget_K.slice(firstToken, batch.sequenceStart_Q[last]!),
  };
}
/** Sequences [firstSequence, lastSequence) as rows of T tokens. */
export type PaddedPiece = ReturnType<typeof padPaths>;
