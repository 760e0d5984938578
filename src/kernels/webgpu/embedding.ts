// The token embedding and its gradient. x[r, :] = embedding[token of r, :], dispatch: rows.
// dEmbedding[v, :] += sum of dx over the rows that hold token v: a workgroup per vocabulary entry, so
// that no float atomics are needed and the order of summation is fixed. Dispatch: vocabulary.

import type { ModelShape } from "../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "./kernel.ts";

/** Reads each row's token from the second word group of `rowInfo` (see kernel.ts). */
export function embedKernel({ D }: ModelShape): Kernel {
  return {
    label: "embed",
    buffers: [read("weights"), read("row_info", "array<vec4u>"), write("x")],
    offsets: ["embedding"],
    code: `
${rowEntry(64, "r", "call.rows")}
  let token = row_info[2u * r + 1u].w;
  for (var d = lid; d < ${D}u; d += 64u) { x[r * ${D}u + d] = weights[op.embedding + token * ${D}u + d]; }
}
`,
  };
}

/** token_rows: V + 1 words where each token's rows begin, then all rows sorted by token. */
export function embeddingGradientKernel({ D, V }: ModelShape): Kernel {
  return {
    label: "embedding gradient",
    buffers: [read("dx"), read("token_rows", "array<u32>"), write("gradient")],
    offsets: ["gradient"],
    code: `
${rowEntry(64, "v", `${V}u`)}
  let first = token_rows[v];
  let end = token_rows[v + 1u];
  if (first == end) { return; }
  for (var d = lid; d < ${D}u; d += 64u) {
    var sum = 0f;
    for (var i = first; i < end; i++) { sum += dx[token_rows[${V + 1}u + i] * ${D}u + d]; }
    gradient[op.gradient + v * ${D}u + d] += sum;
  }
}
`,
  };
}
