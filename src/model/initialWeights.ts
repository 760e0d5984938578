// Weights of an untrained transformer: normal, the two projections that write into the residual stream
// scaled down by sqrt(2 L) (Radford et al. 2019, section 2.3), norms at one, biases and a value head at zero, so that
// an untrained critic predicts nothing. The standard deviation is GPT-2's 0.02 at its width of 768 and
// goes with 1 / sqrt(width), so that a narrow model's blocks speak as loud as a wide one's. At 0.02 the
// blocks of a model 32 wide are near silent: a policy learns one distribution for every context, its
// likely tokens' embeddings, which are also the output head, grow alike, and attention can no longer
// see which of them was sampled.
import type { Random } from "../rl/random.ts";
import { isValueHead, parameterCount, parameterLayout, type TransformerConfig } from "./transformerConfig.ts";

/** Weights drawn between two pauses: some milliseconds of work. */
const DRAWN_AT_ONCE = 2 ** 18;

/** Fresh weights in the order of parameterLayout(config). @param pause lets others have their turn now and then. */
export async function initialWeights(config: TransformerConfig, random: Random, pause: () => Promise<void>): Promise<Float32Array> {
  const standardDeviation = 0.02 * Math.sqrt(768 / config.hiddenSize);
  const weights_N = new Float32Array(parameterCount(config));
  let drawn = 0;
  for (const { name, offset, size } of parameterLayout(config)) {
    const end = offset + size;
    if (name.endsWith("norm.weight")) weights_N.fill(1, offset, end);
    else if (!name.endsWith(".bias") && !isValueHead(name)) {
      const residual = name.endsWith("o_proj.weight") || name.endsWith("down_proj.weight");
      const deviation = residual ? standardDeviation / Math.sqrt(2 * config.layers) : standardDeviation;
      for (let from = offset; from < end; from += DRAWN_AT_ONCE) {
        const part_N = weights_N.subarray(from, Math.min(end, from + DRAWN_AT_ONCE));
        drawNormals(part_N, deviation, random);
        drawn += part_N.length;
        if (drawn < DRAWN_AT_ONCE) continue;
        drawn = 0;
        await pause();
      }
    }
  }
  return weights_N;
}

function drawNormals(into_N: Float32Array, deviation: number, random: Random): void {
  for (let i = 0; i < into_N.length; i++) into_N[i] = deviation * random.normal();
}
