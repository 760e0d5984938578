// Plain RMSNorm, float64 (Zhang & Sennrich 2019, as in Llama): y = x / sqrt(mean(x^2) + eps) * w.

/** y and 1 / rms of each row of x [rows, width]. */
export function rmsNormForward(
  x: ArrayLike<number>,
  w: ArrayLike<number>,
  eps: number,
): { readonly y: Float64Array; readonly inverse: Float64Array } {
  const width = w.length;
  const y = new Float64Array(x.length);
  const inverse = new Float64Array(x.length / width);
  for (let r = 0; r < inverse.length; r++) {
    let squares = 0;
    for (let d = 0; d < width; d++) squares += x[r * width + d]! ** 2;
    inverse[r] = 1 / Math.sqrt(squares / width + eps);
    for (let d = 0; d < width; d++) y[r * width + d] = x[r * width + d]! * inverse[r]! * w[d]!;
  }
  return { y, inverse };
}

/** Gradients with respect to x and w, given d loss / d y. */
export function rmsNormBackward(
  x: ArrayLike<number>,
  w: ArrayLike<number>,
  dy: ArrayLike<number>,
  eps: number,
): { readonly dx: Float64Array; readonly dw: Float64Array } {
  const width = w.length;
  const { inverse } = rmsNormForward(x, w, eps);
  const dx = new Float64Array(x.length);
  const dw = new Float64Array(width);
  for (let r = 0; r < inverse.length; r++) {
    const scale = inverse[r]!;
    let dot = 0;
    for (let d = 0; d < width; d++) {
      const at = r * width + d;
      dot += w[d]! * dy[at]! * x[at]!;
      dw[d]! += dy[at]! * x[at]! * scale;
    }
    for (let d = 0; d < width; d++) {
      const at = r * width + d;
      dx[at] = scale * w[d]! * dy[at]! - (x[at]! * scale ** 3 * dot) / width;
    }
  }
  return { dx, dw };
}
