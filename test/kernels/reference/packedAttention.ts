// Plain attention over packed rows, float64: softmax(q k / sqrt(headSize)) v for each row over its
// prefix run and its own run of rows, with its gradient. GQA: query head h reads head
// floor(h * kvHeads / heads) of keys and values.

/** Rows [prefixStart, +prefixLength) and [ownStart, +ownLength) that a row attends to, itself last. */
export interface AttendedRows {
  readonly prefixStart: number;
  readonly prefixLength: number;
  readonly ownStart: number;
  readonly ownLength: number;
}

export interface HeadShape {
  readonly heads: number;
  readonly kvHeads: number;
  readonly headSize: number;
}

/** The rows a row attends to, in order. */
export function attendedRows({ prefixStart, prefixLength, ownStart, ownLength }: AttendedRows): number[] {
  const run = (start: number, length: number) => Array.from({ length }, (_, i) => start + i);
  return [...run(prefixStart, prefixLength), ...run(ownStart, ownLength)];
}

/** Probabilities of one row and head over its rows. */
function probabilities(q: ArrayLike<number>, k: ArrayLike<number>, at: number, keysAt: readonly number[], headSize: number): number[] {
  const scores = keysAt.map((keyAt) => {
    let score = 0;
    for (let c = 0; c < headSize; c++) score += q[at + c]! * k[keyAt + c]!;
    return score / Math.sqrt(headSize);
  });
  const highest = Math.max(...scores);
  const weights = scores.map((score) => Math.exp(score - highest));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => weight / total);
}

/** o [N, heads * headSize] of q (same shape), k and v [N, kvHeads * headSize]. */
export function attentionForward(
  q: ArrayLike<number>,
  k: ArrayLike<number>,
  v: ArrayLike<number>,
  rows: readonly AttendedRows[],
  { heads, kvHeads, headSize }: HeadShape,
): Float64Array {
  const o = new Float64Array(rows.length * heads * headSize);
  for (const [r, runs] of rows.entries()) {
    for (let head = 0; head < heads; head++) {
      const at = (r * heads + head) * headSize;
      const keysAt = attendedRows(runs).map((row) => (row * kvHeads + Math.floor((head * kvHeads) / heads)) * headSize);
      const p = probabilities(q, k, at, keysAt, headSize);
      for (const [j, keyAt] of keysAt.entries()) for (let c = 0; c < headSize; c++) o[at + c]! += p[j]! * v[keyAt + c]!;
    }
  }
  return o;
}

/** Gradients of attentionForward, given d loss / d o. */
export function attentionBackward(
  q: ArrayLike<number>,
  k: ArrayLike<number>,
  v: ArrayLike<number>,
  dO: ArrayLike<number>,
  rows: readonly AttendedRows[],
  { heads, kvHeads, headSize }: HeadShape,
): { readonly dq: Float64Array; readonly dk: Float64Array; readonly dv: Float64Array } {
  const dq = new Float64Array(q.length);
  const dk = new Float64Array(k.length);
  const dv = new Float64Array(v.length);
  const scale = 1 / Math.sqrt(headSize);
  for (const [r, runs] of rows.entries()) {
    for (let head = 0; head < heads; head++) {
      const at = (r * heads + head) * headSize;
      const keysAt = attendedRows(runs).map((row) => (row * kvHeads + Math.floor((head * kvHeads) / heads)) * headSize);
      const p = probabilities(q, k, at, keysAt, headSize);
      const dp = keysAt.map((keyAt) => {
        let sum = 0;
        for (let c = 0; c < headSize; c++) sum += dO[at + c]! * v[keyAt + c]!;
        return sum;
      });
      const mean = dp.reduce((sum, value, j) => sum + p[j]! * value, 0);
      for (const [j, keyAt] of keysAt.entries()) {
        const ds = p[j]! * (dp[j]! - mean) * scale;
        for (let c = 0; c < headSize; c++) {
          dq[at + c]! += ds * k[keyAt + c]!;
          dk[keyAt + c]! += ds * q[at + c]!;
          dv[keyAt + c]! += p[j]! * dO[at + c]!;
        }
      }
    }
  }
  return { dq, dk, dv };
}
