// The token embedding and its gradient. x[r, :] = embedding[token of r, :], dispatch: rows or scored tokens.
// dEmbedding[v, :] += sum of dx over the rows that hold token v: a workgroup per id, so that no float atomics are needed and
// the order of summation is fixed. Either may lie in several buffers, each with the ids from op.id on.

import type { ModelShape } from "../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "./kernel.ts";
import { baseReader, type StoredForm } from "./product/storedForm.ts";

/** WGSL: row `r` of x from a row of `base`; threads share its values. */
export const embeddedRow = ({ D }: ModelShape, threads: number, row: string): string => `
  for (var unit = lid; unit < ${Math.ceil(D / 4)}u; unit += ${threads}u) {
    let value = base4(${row}, unit);
    for (var i = 0u; i < 4u; i++) { if (4u * unit + i < ${D}u) { x[r * ${D}u + 4u * unit + i] = value[i]; } }
  }`;

/** x of `over` rows, as far as their tokens, the last word of each row of `row_info`, are among the op.count ids from op.id on. */
export function embedKernel(shape: ModelShape, form: StoredForm, over: "rows" | "scored"): Kernel {
  const reader = baseReader(form, shape.D);
  return {
    label: "embed",
    buffers: [read("base", reader.type), read("row_info", "array<vec4u>"), write("x")],
    offsets: ["matrix", "id", "count"],
    code: `
${reader.code}
${rowEntry(64, "r", `call.${over}`)}
  let token = row_info[2u * r + 1u].w;
  if (token < op.id || token >= op.id + op.count) { return; }
  ${embeddedRow(shape, 64, "token - op.id")}
}
`,
  };
}

/** token_rows: V + 1 words where each token's rows begin, then all rows sorted by token. Dispatch: op.count ids. */
export function embeddingGradientKernel({ D, V }: ModelShape): Kernel {
  return {
    label: "embedding gradient",
    buffers: [read("dx"), read("token_rows", "array<u32>"), write("gradient")],
    offsets: ["gradient", "id", "count"],
    code: `
${rowEntry(64, "v", "op.count")}
  let first = token_rows[op.id + v];
  let end = token_rows[op.id + v + 1u];
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
