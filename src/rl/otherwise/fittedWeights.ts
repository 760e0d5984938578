// The weights of reward parts, read off recorded advantages: within a group advantages lie along the parts' weighted sum, less its mean. So
// the weights are those for which what is left across is least, the eigenvector of the smallest eigenvalue of a small matrix, found by
// Jacobi's rotations (Golub and Van Loan, "Matrix Computations", 8.5).
import { roundedSetting } from "../../protocol/quantities.ts";
import { meanOf } from "../advantage/statistics.ts";

/** One group: parts of each member, and the advantages that were recorded. */
export interface PartsOfGroup {
  /** [G][parts] */
  readonly parts_G: readonly (readonly number[])[];
  readonly advantages_G: readonly number[];
}

const ROTATIONS = 60;
/** Below this share of the largest eigenvalue nothing is left across; above it no weights explain the advantages. */
const LEFT_ACROSS = 1e-5;
/** The next eigenvalue must be that much larger, else several weights explain them as well. */
const APART = 1e3;

function column(rows: readonly (readonly number[])[], i: number): readonly number[] {
  const values = rows.map((row) => row[i]!);
  const mean = meanOf(values);
  return values.map((value) => value - mean);
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

/** What of each pair of parts lies across the advantages, over all groups; [parts * parts]. */
function acrossAdvantages(groups: readonly PartsOfGroup[], parts: number): Float64Array {
  const matrix = new Float64Array(parts * parts);
  for (const { parts_G, advantages_G } of groups) {
    const along = column(
      advantages_G.map((value) => [value]),
      0,
    );
    const square = dot(along, along);
    if (square === 0) continue;
    const columns = Array.from({ length: parts }, (_, i) => column(parts_G, i));
    for (let i = 0; i < parts; i++)
      for (let j = 0; j < parts; j++)
        matrix[i * parts + j]! += dot(columns[i]!, columns[j]!) - (dot(columns[i]!, along) * dot(columns[j]!, along)) / square;
  }
  return matrix;
}

/** Eigenvalues and eigenvectors of a small symmetric matrix, in no order. */
function eigenpairs(matrix: Float64Array, n: number): readonly { readonly value: number; readonly vector: readonly number[] }[] {
  const a = matrix.slice();
  const v = Float64Array.from(a, (_, at) => (at % (n + 1) === 0 ? 1 : 0));
  const turn = (values: Float64Array, one: number, other: number, c: number, s: number) => {
    const x = values[one]!;
    const y = values[other]!;
    values[one] = c * x - s * y;
    values[other] = s * x + c * y;
  };
  for (let round = 0; round < ROTATIONS; round++)
    for (let p = 0; p < n; p++)
      for (let q = p + 1; q < n; q++) {
        const apq = a[p * n + q]!;
        if (apq === 0) continue;
        const theta = (a[q * n + q]! - a[p * n + p]!) / (2 * apq);
        const t = (theta < 0 ? -1 : 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const s = t * c;
        for (let k = 0; k < n; k++) turn(a, k * n + p, k * n + q, c, s);
        for (let k = 0; k < n; k++) turn(a, p * n + k, q * n + k, c, s);
        for (let k = 0; k < n; k++) turn(v, k * n + p, k * n + q, c, s);
      }
  return Array.from({ length: n }, (_, i) => ({
    value: a[i * n + i]!,
    vector: Array.from({ length: n }, (_, k) => v[k * n + i]!),
  }));
}

/**
 * Weights, the first that is not 0 with the size 1, up to three digits; null where none explain the advantages or several do as well.
 * @param groups only those in which every member has all parts and an advantage
 */
export function fittedWeights(groups: readonly PartsOfGroup[], parts: number): readonly number[] | null {
  if (parts === 0 || groups.length === 0) return null;
  if (parts === 1) return [1];
  const [least, next] = [...eigenpairs(acrossAdvantages(groups, parts), parts)].sort((a, b) => a.value - b.value);
  const whole = groups.reduce(
    (sum, { parts_G }) =>
      sum + Array.from({ length: parts }, (_, i) => dot(column(parts_G, i), column(parts_G, i))).reduce((a, b) => a + b, 0),
    0,
  );
  if (
    !least ||
    !next ||
    Math.abs(least.value) > LEFT_ACROSS * whole ||
    next.value < APART * Math.max(LEFT_ACROSS * LEFT_ACROSS * whole, Math.abs(least.value))
  )
    return null;
  const largest = Math.max(...least.vector.map(Math.abs));
  const first = least.vector.find((value) => Math.abs(value) > 1e-3 * largest)!;
  // Higher advantages come with higher rewards: the sign is the one that pays them so.
  const sign = groups.reduce(
    (sum, { parts_G, advantages_G }) =>
      sum +
      dot(
        advantages_G,
        column(
          parts_G.map((row) => [dot(row, least.vector)]),
          0,
        ),
      ),
    0,
  );
  const unit = Math.abs(first) * (sign < 0 ? -1 : 1);
  return least.vector.map((value) => roundedSetting(value / unit, 3) + 0);
}
