// AdamW with global-norm clipping in plain float64, as torch.optim.AdamW and clip_grad_norm_ compute
// it (Loshchilov and Hutter 2019, algorithm 2, with decay on every weight).

export interface AdamwOptions {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weightDecay: number;
  /** 0 leaves the gradient as it is. */
  readonly maxGradNorm: number;
}

export interface AdamwState {
  readonly weights_N: Float64Array;
  readonly first_N: Float64Array;
  readonly second_N: Float64Array;
}

/** The state after step number `step` (from 1) on a gradient. */
export function adamw(state: AdamwState, gradient_N: Float64Array, step: number, options: AdamwOptions): AdamwState {
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = options;
  const norm = Math.sqrt(gradient_N.reduce((sum, g) => sum + g * g, 0));
  const scale = maxGradNorm > 0 ? Math.min(1, maxGradNorm / (norm + 1e-6)) : 1;
  const first_N = state.first_N.map((m, i) => beta1 * m + (1 - beta1) * gradient_N[i]! * scale);
  const second_N = state.second_N.map((v, i) => beta2 * v + (1 - beta2) * (gradient_N[i]! * scale) ** 2);
  const weights_N = state.weights_N.map((w, i) => {
    const root = Math.sqrt(second_N[i]! / (1 - beta2 ** step)) + eps;
    return w * (1 - learningRate * weightDecay) - (learningRate * first_N[i]!) / (1 - beta1 ** step) / root;
  });
  return { weights_N, first_N, second_N };
}
