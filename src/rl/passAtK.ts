// The chance that at least one of k samples is right, estimated without bias from n >= k samples:
// Chen et al. 2021, "Evaluating Large Language Models Trained on Code", arXiv 2107.03374, eq. 1.

/**
 * 1 - C(n - c, k) / C(n, k), as the stable product 1 - Π_{i = n-c+1..n} (1 - k/i).
 * @param n samples drawn. @param c how many are right, 0 .. n. @param k 1 .. n.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (k < 1 || k > n) throw new RangeError(`k must be from 1 to n = ${n}, got ${k}`);
  if (c < 0 || c > n) throw new RangeError(`c must be from 0 to n = ${n}, got ${c}`);
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}
