// x[r, :] = embedding[token of r, :]. Dispatch: rows.
import { type Kernel, read, rowRun, write } from "./kernel.ts";
import type { ModelShape } from "./modelShape.ts";

/** Reads each row's token from the second word group of `rowInfo` (see rowInfo.ts). */
export function embedKernel({ D }: ModelShape): Kernel {
  return {
    label: "embed",
    buffers: [read("weights"), read("row_info", "array<vec4u>"), write("x")],
    offsets: ["embedding"],
    code: `
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lid: u32) {
  let r = group.y * ${rowRun}u + group.x;
  if (r >= call.rows) { return; }
  let token = row_info[2u * r + 1u].w;
  for (var d = lid; d < ${D}u; d += 64u) { x[r * ${D}u + d] = weights[op.embedding + token * ${D}u + d]; }
}
`,
  };
}
