// The final RMSNorm and the output head, at chosen rows only. The gradient of log-prob and entropy with
// respect to the logits z is taken in place:
// dz_v = (g (1[v = target] - p_v) - e p_v (log p_v + H)) / temperature. Dispatch: scored tokens.

import type { ModelShape } from "../modelSizes.ts";
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, read, rowEntry, write } from "./kernel.ts";

/** logits_KV of rows score_row_K of x, not yet divided by the temperature, and 1 / rms of those rows. */
export function logitsKernel({ D, V, eps }: ModelShape, tile: Tile): Kernel {
  return gemmKernel({
    label: "logits",
    buffers: [read("weights"), read("norm_weights"), read("x"), read("score_row", "array<u32>"), write("logits"), write("inverse_rms")],
    offsets: ["norm", "matrix"],
    tile,
    rows: "call.scored",
    columns: `${V}u`,
    depth: `${D}u`,
    left: `x[score_row[m] * ${D}u + k]`,
    right: `weights[op.matrix + n * ${D}u + k] * norm_weights[op.norm + k]`,
    rowSquares: true,
    store: `fn store(m: u32, n: u32, value: f32) {
  let scale = inverseSqrt(rowSquares(m) / ${D}f + ${eps});
  if (n == 0u) { inverse_rms[m] = scale; }
  logits[m * ${V}u + n] = value * scale;
}`,
  });
}

/** token_gradients_K = d loss / d (log-prob, entropy, value), scores_K as tokenScoresKernel left them. */
export function logitsGradientKernel({ V }: ModelShape): Kernel {
  return {
    label: "logits gradient",
    buffers: [read("target_token", "array<u32>"), read("scores", "array<vec4f>"), read("token_gradients", "array<vec4f>"), write("logits")],
    offsets: [],
    code: `
${rowEntry(64, "k", "call.scored")}
  let score = scores[k];
  let given = token_gradients[k];
  for (var v = lid; v < ${V}u; v += 64u) {
    let logp = logits[k * ${V}u + v] * call.inverseTemperature - score.w;
    let p = exp(logp);
    let target_share = select(0f, given.x, v == target_token[k]);
    logits[k * ${V}u + v] = (target_share - p * (given.x + given.y * (logp + score.y))) * call.inverseTemperature;
  }
}
`,
  };
}
