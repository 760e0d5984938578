// Gradient of y = x * inverse_rms * w. One dispatch does both halves: a workgroup per row makes
// dx += r w dy - x r^3 / D * sum(w dy x), and behind them, where w is trained, a workgroup per 16 columns makes
// dw += sum over rows of dy x r. Both only read dy and x.

import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, read, rowRun, write } from "../kernel.ts";
import { type Grid, rowGrid } from "../program.ts";

const threads = 128;
const lanes = threads / 16;

/** Grid of either kernel here. @param hasColumns whether something of the norm's width is trained */
export const normGradientGrid = (rows: number, width: number, hasColumns: boolean): Grid =>
  rowGrid(rows + (hasColumns ? Math.ceil(width / 16) : 0));

/** WGSL: sums `names` over i < count for the 16 columns of this workgroup; threads of lane 0 then run `finish`. */
function columnSums(count: string, names: readonly string[], add: string, finish: string): string {
  const collect = (name: string) => `
    column_sums[lid] = ${name};
    workgroupBarrier();
    ${name} = 0f;
    for (var lane = 0u; lane < ${lanes}u; lane++) { ${name} += column_sums[lane * 16u + lid % 16u]; }
    workgroupBarrier();`;
  return `${names.map((name) => `var ${name} = 0f;`).join(" ")}
    if (d < width) { for (var i = lid / 16u; i < ${count}; i += ${lanes}u) { ${add} } }
    ${names.map(collect).join("")}
    if (lid < 16u && d < width) { ${finish} }`;
}

function twoHalves(rowPart: string, columnPart: string, width: number): string {
  return `
var<workgroup> column_sums: array<f32, ${threads}>;
const width = ${width}u;
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lid: u32) {
  let r = group.y * ${rowRun}u + group.x;
  if (r < call.rows) {
    ${rowPart}
  } else {
    let d = (r - call.rows) * 16u + lid % 16u;
    ${columnPart}
  }
}
`;
}

/** Inside a layer: every row, dx added to the gradient that came past the norm. */
export function normGradientKernel({ D }: ModelShape, isTrained: boolean): Kernel {
  const rows = `
    let scale = inverse_rms[r];
    var dot = 0f;
    for (var d = lid; d < width; d += ${threads}u) { dot = fma(vectors[op.norm + d] * dy[r * width + d], x[r * width + d], dot); }
    dot = reduceSum(dot, lid);
    let pull = dot * scale * scale * scale / ${D}f;
    for (var d = lid; d < width; d += ${threads}u) {
      let at = r * width + d;
      dx[at] += scale * vectors[op.norm + d] * dy[at] - x[at] * pull;
    }`;
  const add = "sum = fma(dy[i * width + d] * inverse_rms[i], x[i * width + d], sum);";
  return {
    label: "norm gradient",
    buffers: [read("vectors"), read("x"), read("inverse_rms"), read("dy"), write("dx"), ...(isTrained ? [write("gradient")] : [])],
    offsets: ["norm", ...(isTrained ? ["gradient"] : [])],
    reduces: { threads },
    code: twoHalves(rows, isTrained ? columnSums("call.rows", ["sum"], add, "gradient[op.gradient + d] += sum;") : "", D),
  };
}

/**
 * After the last layer: dh_KD, which lies in parts op.stride apart, belongs to scored tokens, several of which may share a
 * row. Rows without any get zero. row_scores holds rows + 1 words where each row's list of scored tokens begins, the lists,
 * and the row of each scored token. Sets dx; the value head's weights, which read the norm's output, are done here too.
 */
export function finalNormGradientKernel({ D, valueHead }: ModelShape, parts: number, isTrained: boolean): Kernel {
  const hasColumns = isTrained || valueHead;
  const dh = (token: string) => Array.from({ length: parts }, (_, part) => `dh[${part}u * op.stride + ${token} * width + d]`).join(" + ");
  const rows = `
    let first = row_scores[r];
    let end = row_scores[r + 1u];
    let scale = inverse_rms[row_scores[call.rows + 1u + min(first, call.scored - 1u)]];
    var dot = 0f;
    for (var d = lid; d < width; d += ${threads}u) {
      var sum = 0f;
      for (var i = first; i < end; i++) {
        let token = row_scores[call.rows + 1u + i];
        sum += ${dh("token")};
      }
      let weighted = sum * vectors[op.norm + d];
      dx[r * width + d] = weighted;
      dot = fma(weighted, x[r * width + d], dot);
    }
    dot = reduceSum(dot, lid);
    let pull = dot * scale * scale * scale / ${D}f;
    for (var d = lid; d < width; d += ${threads}u) {
      let at = r * width + d;
      dx[at] = select(0f, scale * dx[at] - x[at] * pull, first < end);
    }`;
  const add = `let normed = x[row_scores[call.rows + 1u + call.scored + i] * width + d] * inverse_rms[i];
      ${isTrained ? `sum = fma(${dh("i")}, normed, sum);` : ""}
      ${valueHead ? "value_sum = fma(token_gradients[i].z, normed, value_sum); bias_sum += token_gradients[i].z;" : ""}`;
  const finish = `${isTrained ? "gradient[op.gradient + d] += sum;" : ""}
      ${
        valueHead
          ? `gradient[op.valueGradient + d] += value_sum * vectors[op.norm + d];
      if (d == 0u) { gradient[op.valueGradient + width] += bias_sum; }`
          : ""
      }`;
  const names = [...(isTrained ? ["sum"] : []), ...(valueHead ? ["value_sum", "bias_sum"] : [])];
  return {
    label: "final norm gradient",
    buffers: [
      ...[read("vectors"), read("x"), read("inverse_rms"), read("dh"), read("row_scores", "array<u32>"), write("dx")],
      ...(hasColumns ? [write("gradient")] : []),
      ...(valueHead ? [read("token_gradients", "array<vec4f>")] : []),
    ],
    offsets: ["norm", "stride", ...(isTrained ? ["gradient"] : []), ...(valueHead ? ["valueGradient"] : [])],
    reduces: { threads },
    code: twoHalves(rows, hasColumns ? columnSums("call.scored", names, add, finish) : "", D),
  };
}
