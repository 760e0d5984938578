// Two answers side by side: which tokens they share in order, as the longest common subsequence
// (Wagner and Fischer 1974), so that what differs stands opposite each other.

/** A place of the alignment: a token of either or of both, by its index. */
export interface AlignedPlace {
  readonly a: number | null;
  readonly b: number | null;
}

/** Lengths of common subsequences of all pairs of suffixes, row by row. */
function suffixLengths(a: readonly number[], b: readonly number[]): Int32Array {
  const width = b.length + 1;
  const lengths = new Int32Array((a.length + 1) * width);
  const b_T = Int32Array.from(b);
  for (let i = a.length - 1; i >= 0; i--) {
    const token = a[i]!;
    const row = i * width;
    const below = (i + 1) * width;
    let right = 0;
    for (let j = b_T.length - 1; j >= 0; j--) {
      const down = lengths[below + j]!;
      right = token === b_T[j] ? lengths[below + j + 1]! + 1 : down > right ? down : right;
      lengths[row + j] = right;
    }
  }
  return lengths;
}

/**
 * Aligns two lists of token ids. Between two shared tokens, those that differ are put opposite each other in
 * order, and what one has more stands alone.
 */
export function alignTokens(a: readonly number[], b: readonly number[]): readonly AlignedPlace[] {
  const lengths = suffixLengths(a, b);
  const width = b.length + 1;
  const places: AlignedPlace[] = [];
  let i = 0;
  let j = 0;
  // What is passed over until the next shared token.
  const only = { a: [] as number[], b: [] as number[] };
  const flush = () => {
    for (let n = 0; n < Math.max(only.a.length, only.b.length); n++) places.push({ a: only.a[n] ?? null, b: only.b[n] ?? null });
    only.a = [];
    only.b = [];
  };
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      flush();
      places.push({ a: i++, b: j++ });
    } else if (j >= b.length || (i < a.length && lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!)) only.a.push(i++);
    else only.b.push(j++);
  }
  flush();
  return places;
}
