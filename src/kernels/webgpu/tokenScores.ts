// Log-prob of the scored token, entropy of its distribution and, with a critic, the value of its row.
// Dispatch: scored tokens.

import type { ModelShape } from "../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "./kernel.ts";

/** scores_K = (log-prob, entropy, value, log of the sum of exponentials), nats at the call's temperature. */
export function tokenScoresKernel({ D, V, valueHead }: ModelShape): Kernel {
  const value = `
  var dot = 0f;
  for (var d = lid; d < ${D}u; d += 64u) {
    dot = fma(x[score_row[k] * ${D}u + d] * inverse_rms[k] * weights[op.norm + d], weights[op.valueWeight + d], dot);
  }
  value = reduceSum(dot, lid) + weights[op.valueBias];`;
  return {
    label: "token scores",
    buffers: [
      read("logits"),
      read("target_token", "array<u32>"),
      write("scores", "array<vec4f>"),
      ...(valueHead ? [read("weights"), read("x"), read("score_row", "array<u32>"), read("inverse_rms")] : []),
    ],
    offsets: valueHead ? ["norm", "valueWeight", "valueBias"] : [],
    reduces: { threads: 64 },
    code: `
${rowEntry(64, "k", "call.scored")}
  let at = k * ${V}u;
  var highest = -3.0e38f;
  for (var v = lid; v < ${V}u; v += 64u) { highest = max(highest, logits[at + v] * call.inverseTemperature); }
  highest = reduceMax(highest, lid);
  var total = 0f;
  var weighted = 0f;
  for (var v = lid; v < ${V}u; v += 64u) {
    let shifted = logits[at + v] * call.inverseTemperature - highest;
    let e = exp(shifted);
    total += e;
    weighted = fma(e, shifted, weighted);
  }
  total = reduceSum(total, lid);
  weighted = reduceSum(weighted, lid);
  var value = 0f;
  ${valueHead ? value : ""}
  if (lid == 0u) {
    let log_sum = highest + log(total);
    let logprob = logits[at + target_token[k]] * call.inverseTemperature - log_sum;
    scores[k] = vec4f(logprob, log(total) - weighted / total, value, log_sum);
  }
}
`,
  };
}
