// Rotary position embedding of one head in plain float64 loops.

/**
 * Rotates pair (i, i + half) by position * theta^(-i / half). The rotation is orthogonal, so the
 * gradient is the rotation by -position.
 */
export function rope(x_D: Float64Array, position: number, theta: number): Float64Array {
  const half = x_D.length / 2;
  const y_D = new Float64Array(x_D.length);
  for (let i = 0; i < half; i++) {
    const angle = position * theta ** (-i / half);
    const [a, b] = [x_D[i]!, x_D[half + i]!];
    y_D[i] = a * Math.cos(angle) - b * Math.sin(angle);
    y_D[half + i] = b * Math.cos(angle) + a * Math.sin(angle);
  }
  return y_D;
}
