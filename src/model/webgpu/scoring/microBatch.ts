// Cuts a packed batch between its units and lays each part out as the kernels read it: two groups of
// words per row, and for every gradient sum the list of what goes into it, so that one workgroup can own
// it.
import { rowInfoWords, rowRuns, trainingWords } from "../../../kernels/webgpu/kernel.ts";
import { cutSpans, type PackedBatch, type Span, sumsBefore, unitRows } from "../../backend.ts";

/**
 * Runs of whole units with about `wantedRows` rows at most, one unit at least, and never more rows or
 * scored tokens than the device can hold at once. Throws when a single unit is too large for it.
 */
export function cutMicroBatches(batch: PackedBatch, wantedRows: number, most: { rows: number; scored: number }): Span[] {
  const rows_U = sumsBefore(unitRows(batch));
  const rowsOf = (first: number, last: number) => rows_U[last]! - rows_U[first]!;
  const tokenAt = (unit: number) => batch.sequenceStart_Q[batch.unitSequence_U[unit]!]!;
  const scoredOf = (first: number, last: number) => tokenAt(last) - tokenAt(first);
  const spans = cutSpans(
    rows_U.length - 1,
    (first, last) => rowsOf(first, last) <= Math.min(wantedRows, most.rows) && scoredOf(first, last) <= most.scored,
  );
  for (const { first, last } of spans) {
    const rows = rowsOf(first, last);
    const scored = scoredOf(first, last);
    if (rows > most.rows || scored > most.scored)
      throw new Error(
        `one prompt with its completions has ${rows} tokens, ${scored} of them scored; this GPU holds ${most.rows} and ${most.scored}`,
      );
  }
  return spans;
}

/** Lists of the indices 0..keys.length by key: bounds + 1 beginnings, then the indices, each list rising. */
function listsByKey(keys: ArrayLike<number>, bounds: number, extra: number): Uint32Array {
  const lists = new Uint32Array(bounds + 1 + keys.length + extra);
  for (let i = 0; i < keys.length; i++) lists[keys[i]! + 1]! += 1;
  for (let key = 0; key < bounds; key++) lists[key + 1]! += lists[key]!;
  const next = lists.slice(0, bounds);
  for (let i = 0; i < keys.length; i++) lists[bounds + 1 + next[keys[i]!]!++] = i;
  return lists;
}

/** Gives the segments of the range rows from 0 on, in order: the first row of each, and the new row of each of the batch. */
function placeSegments(batch: PackedBatch, firstSegment: number, lastSegment: number) {
  const start_S = new Int32Array(lastSegment - firstSegment);
  const rowOf_N = new Int32Array(batch.tokens_N.length).fill(-1);
  let rows = 0;
  for (let s = firstSegment; s < lastSegment; s++) {
    start_S[s - firstSegment] = rows;
    for (let i = 0; i < batch.segmentLength_S[s]!; i++) rowOf_N[batch.segmentStart_S[s]! + i] = rows + i;
    rows += batch.segmentLength_S[s]!;
  }
  return { start_S, rowOf_N, rows };
}

/** For each segment of the range, the runs of rows that attend to it as their prefix; neighbours are joined. */
function prefixUsers(batch: PackedBatch, firstSegment: number, start_S: Int32Array): [number, number][][] {
  const users: [number, number][][] = Array.from(start_S, () => []);
  start_S.forEach((row, i) => {
    const prefix = batch.segmentPrefix_S[firstSegment + i]!;
    if (prefix < 0) return;
    const runs = users[prefix - firstSegment];
    if (!runs) throw new Error("internal: a prefix lies outside its unit");
    const length = batch.segmentLength_S[firstSegment + i]!;
    const last = runs.at(-1);
    if (last && last[0] + last[1] === row) last[1] += length;
    else runs.push([row, length]);
  });
  return users;
}

function rowInfoOf(
  batch: PackedBatch,
  firstSegment: number,
  { start_S, rows }: ReturnType<typeof placeSegments>,
): { rowInfo: Uint32Array; positions: number } {
  const users = prefixUsers(batch, firstSegment, start_S);
  const rowInfo = new Uint32Array(rows * rowInfoWords + users.flat().length * 4);
  let range = 0;
  let positions = 1;
  start_S.forEach((start, i) => {
    const segment = firstSegment + i;
    const prefix = batch.segmentPrefix_S[segment]!;
    const prefixLength = prefix < 0 ? 0 : batch.segmentLength_S[prefix]!;
    const length = batch.segmentLength_S[segment]!;
    for (let j = 0; j < length; j++) {
      const at = (start + j) * rowInfoWords;
      rowInfo[at + rowRuns.prefixStart] = prefix < 0 ? 0 : start_S[prefix - firstSegment]!;
      rowInfo[at + rowRuns.prefixLength] = prefixLength;
      rowInfo[at + rowRuns.ownStart] = start;
      rowInfo[at + rowRuns.ownLength] = j + 1;
      rowInfo[at + trainingWords.segmentEnd] = start + length;
      rowInfo[at + trainingWords.rangeFirst] = range;
      rowInfo[at + trainingWords.rangeEnd] = range + users[i]!.length;
      rowInfo[at + trainingWords.token] = batch.tokens_N[batch.segmentStart_S[segment]! + j]!;
    }
    for (const [row, count] of users[i]!) {
      rowInfo[rows * rowInfoWords + range * 4] = row;
      rowInfo[rows * rowInfoWords + range * 4 + 1] = count;
      range += 1;
    }
    positions = Math.max(positions, prefixLength + length);
  });
  return { rowInfo, positions };
}

/** Lays out units [first, last) of a batch for the kernels. */
export function layOut(batch: PackedBatch, { first, last }: Span, vocabulary: number) {
  const firstSegment = batch.unitSegment_U[first]!;
  const placed = placeSegments(batch, firstSegment, batch.unitSegment_U[last]!);
  const firstSequence = batch.unitSequence_U[first]!;
  const lastSequence = batch.unitSequence_U[last]!;
  const firstToken = batch.sequenceStart_Q[firstSequence]!;
  const endToken = batch.sequenceStart_Q[lastSequence]!;
  const scoreRow_K = Uint32Array.from(batch.scoreRow_K.subarray(firstToken, endToken), (row) => placed.rowOf_N[row]!);
  const rowScores = listsByKey(scoreRow_K, placed.rows, scoreRow_K.length);
  rowScores.set(scoreRow_K, placed.rows + 1 + scoreRow_K.length);
  const { rowInfo, positions } = rowInfoOf(batch, firstSegment, placed);
  const tokens = Uint32Array.from({ length: placed.rows }, (_, r) => rowInfo[r * rowInfoWords + trainingWords.token]!);
  return {
    rows: placed.rows,
    scored: scoreRow_K.length,
    firstSequence,
    lastSequence,
    firstToken,
    /** Rows as kernel.ts describes them, then the (row, count, 0, 0) ranges of rows that use a prefix. */
    rowInfo,
    /** Row of each scored token; and (row, token) of it. */
    scoreRow_K,
    asked_K: Uint32Array.from({ length: 2 * scoreRow_K.length }, (_, i) =>
      i % 2 === 0 ? scoreRow_K[i / 2]! : batch.scoreTarget_K[firstToken + (i - 1) / 2]!,
    ),
    /** rows + 1 beginnings, scored tokens by row, then scoreRow_K again. */
    rowScores,
    /** vocabulary + 1 beginnings, then rows by token. */
    tokenRows: listsByKey(tokens, vocabulary, 0),
    /** Positions needed, the largest + 1. */
    positions,
  };
}
export type MicroBatch = ReturnType<typeof layOut>;
