// SwiGLU in plain float64: h = g sigmoid(g) u.

const sigmoid = (g: number) => 1 / (1 + Math.exp(-g));

export const swiglu = (g: number, u: number): number => g * sigmoid(g) * u;

/** Gradients with respect to g and u, from the gradient dh of the output. */
export function swigluGradient(g: number, u: number, dh: number): { dg: number; du: number } {
  const s = sigmoid(g);
  return { dg: dh * u * s * (1 + g * (1 - s)), du: dh * g * s };
}
