// Tokens of several sequences as a table: sequence q is row q, padded at the end to the longest. The
// objective and the advantages on tensors work on such tables, while the rest of the engine keeps
// tokens flat, one sequence behind another.
import * as tf from "@tensorflow/tfjs";

export interface TokenTable {
  readonly Q: number;
  /** Width: tokens of the longest sequence, at least 1. */
  readonly T: number;
  /** Place in the table, q * T + t, of each flat token. */
  readonly place_K: Int32Array;
}

/** The table that holds the sequences. @param sequenceStart_Q first token of each sequence plus the end; need not begin at 0. */
export function tokenTable(sequenceStart_Q: ArrayLike<number>): TokenTable {
  const Q = sequenceStart_Q.length - 1;
  const base = sequenceStart_Q[0]!;
  let T = 1;
  for (let q = 0; q < Q; q++) T = Math.max(T, sequenceStart_Q[q + 1]! - sequenceStart_Q[q]!);
  const place_K = new Int32Array(sequenceStart_Q[Q]! - base);
  for (let q = 0; q < Q; q++) {
    const start = sequenceStart_Q[q]! - base;
    const end = sequenceStart_Q[q + 1]! - base;
    for (let k = start; k < end; k++) place_K[k] = q * T + k - start;
  }
  return { Q, T, place_K };
}

/** Flat numbers as a table of constants, [Q, T]; padding reads 0. */
export function tableOf({ Q, T, place_K }: TokenTable, values_K: ArrayLike<number>): tf.Tensor {
  const values_QT = new Float32Array(Q * T);
  for (let k = 0; k < place_K.length; k++) values_QT[place_K[k]!] = values_K[k]!;
  return tf.tensor2d(values_QT, [Q, T]);
}

/** The flat tokens of a table's numbers, row after row. */
export function flatOf({ place_K }: TokenTable, values_QT: ArrayLike<number>): Float64Array {
  return Float64Array.from(place_K, (place) => values_QT[place]!);
}

/** A flat tensor [K] as a table [Q, T], differentiably; padding reads 0. Both ways gather. */
export function toTable({ Q, T, place_K }: TokenTable, values_K: tf.Tensor): tf.Tensor {
  const K = place_K.length;
  const token_QT = new Int32Array(Q * T).fill(K);
  for (let k = 0; k < K; k++) token_QT[place_K[k]!] = k;
  return tf.customGrad((values) => {
    const withZero = tf.concat1d([values as tf.Tensor1D, tf.zeros<tf.Rank.R1>([1])]);
    return {
      value: tf.reshape(tf.gather(withZero, tf.tensor1d(token_QT, "int32")), [Q, T]),
      gradFunc: (dy: tf.Tensor) => tf.gather(tf.reshape(dy, [-1]), tf.tensor1d(place_K, "int32")),
    };
  })(values_K);
}
