// Plain matrix products, float64, in the three layouts that a projection and its gradients use.

/** y [rows, outputs] = x [rows, inputs] W^T, W [outputs, inputs]. */
export function project(x: ArrayLike<number>, w: ArrayLike<number>, outputs: number, inputs: number): Float64Array {
  const rows = x.length / inputs;
  const y = new Float64Array(rows * outputs);
  for (let r = 0; r < rows; r++) {
    for (let o = 0; o < outputs; o++) {
      for (let i = 0; i < inputs; i++) y[r * outputs + o]! += x[r * inputs + i]! * w[o * inputs + i]!;
    }
  }
  return y;
}

/** Gradients of project with respect to x and W, given d loss / d y. */
export function projectBackward(
  x: ArrayLike<number>,
  w: ArrayLike<number>,
  dy: ArrayLike<number>,
  outputs: number,
  inputs: number,
): { readonly dx: Float64Array; readonly dw: Float64Array } {
  const dx = new Float64Array(x.length);
  const dw = new Float64Array(w.length);
  for (let r = 0; r < x.length / inputs; r++) {
    for (let o = 0; o < outputs; o++) {
      for (let i = 0; i < inputs; i++) {
        dx[r * inputs + i]! += dy[r * outputs + o]! * w[o * inputs + i]!;
        dw[o * inputs + i]! += dy[r * outputs + o]! * x[r * inputs + i]!;
      }
    }
  }
  return { dx, dw };
}
