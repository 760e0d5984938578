// Weights of an untrained transformer: normal with standard deviation 0.02 as GPT-2 and Llama, the
// two projections that write into the residual stream scaled down by sqrt(2 L) (Radford et al. 2019,
// section 2.3), norms at one, a value head at zero so that an untrained critic predicts nothing.
import type { Random } from "../rl/random.ts";
import { parameterCount, parameterLayout, type TransformerConfig } from "./transformerConfig.ts";

const STANDARD_DEVIATION = 0.02;

/** Fresh weights in the order of parameterLayout(config). */
export function initialWeights(config: TransformerConfig, random: Random): Float32Array {
  const weights_N = new Float32Array(parameterCount(config));
  for (const { name, offset, size } of parameterLayout(config)) {
    const end = offset + size;
    if (name.endsWith("norm.weight")) weights_N.fill(1, offset, end);
    else if (!name.startsWith("value_head")) {
      const residual = name.endsWith("o_proj.weight") || name.endsWith("down_proj.weight");
      const deviation = residual ? STANDARD_DEVIATION / Math.sqrt(2 * config.layers) : STANDARD_DEVIATION;
      for (let i = offset; i < end; i++) weights_N[i] = deviation * random.normal();
    }
  }
  return weights_N;
}
