// What a model may have between the product of queries, keys and values and RoPE: biases (Qwen2) and an RMSNorm of each
// head of queries and keys (Qwen3). They take a dispatch forward; norms of heads take one back, and one more each for what
// is trained of either.
import type { ModelShape } from "../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "./kernel.ts";

/** What a model has between the product of queries, keys and values and RoPE. */
export interface HeadParts {
  readonly qkvBias: boolean;
  readonly headNorm: boolean;
}

/** WGSL: the head's column `d` of raw, with its bias; heads count through queries, keys and values. */
const biased = ({ Q, KV, headSize }: ModelShape, { qkvBias }: HeadParts, d: string) =>
  `raw[r * ${Q + 2 * KV}u + head * ${headSize}u + ${d}]${qkvBias ? ` + vectors[op.bias + head * ${headSize}u + ${d}]` : ""}`;

/** WGSL: where the norm of this head's kind begins. */
const headNormAt = ({ heads }: ModelShape) => `select(op.key_norm, op.query_norm, head < ${heads}u)`;

const offsetsOf = ({ qkvBias, headNorm }: HeadParts) => [...(qkvBias ? ["bias"] : []), ...(headNorm ? ["query_norm", "key_norm"] : [])];

const headThreads = 64;

/** From raw_N(Q + 2 KV) to q and the rows of the cache: bias, RMSNorm of each head of queries and keys, RoPE. Heads in z, values' too. */
export function headVectorsKernel(shape: ModelShape, parts: HeadParts): Kernel {
  const { Q, KV, heads, kvHeads, headSize, eps } = shape;
  const half = headSize / 2;
  const norm = `var squares = 0f;
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) { squares = fma(vector[d], vector[d], squares); }
  let scale = inverseSqrt(reduceSum(squares, lid) / ${headSize}f + ${eps});
  if (head < ${heads + kvHeads}u) {
    for (var d = lid; d < ${headSize}u; d += ${headThreads}u) { vector[d] *= scale * vectors[${headNormAt(shape)} + d]; }
  }
  workgroupBarrier();`;
  return {
    label: "head vectors",
    buffers: [read("raw"), read("vectors"), read("row_info", "array<vec4u>"), read("rope", "array<vec2f>"), write("q"), write("kv")],
    offsets: offsetsOf(parts),
    reduces: { threads: headThreads },
    code: `
var<workgroup> vector: array<f32, ${headSize}>;
${rowEntry(headThreads, "r", "call.rows")}
  let head = group.z;
  let runs = row_info[2u * r];
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) { vector[d] = ${biased(shape, parts, "d")}; }
  workgroupBarrier();
  ${parts.headNorm ? norm : ""}
  for (var i = lid; i < ${half}u; i += ${headThreads}u) {
    var pair = vec2f(vector[i], vector[i + ${half}u]);
    if (head < ${heads + kvHeads}u) {
      let turn = rope[(runs.y + runs.w - 1u) * ${half}u + i];
      pair = vec2f(pair.x * turn.x - pair.y * turn.y, pair.y * turn.x + pair.x * turn.y);
    }
    if (head < ${heads}u) {
      q[r * ${Q}u + head * ${headSize}u + i] = pair.x;
      q[r * ${Q}u + head * ${headSize}u + i + ${half}u] = pair.y;
    } else {
      let at = (runs.z + runs.w - 1u) * ${2 * KV}u + head * ${headSize}u + i - ${Q}u;
      kv[at] = pair.x;
      kv[at + ${half}u] = pair.y;
    }
  }
}
`,
  };
}

/**
 * Back through the norms of heads: the columns of queries and keys of dqkv, in place. Those heads in z. Where the norms are
 * trained, raw becomes what each row and head adds to their gradient.
 */
export function headNormGradientKernel(shape: ModelShape, parts: HeadParts, isTrained: boolean): Kernel {
  const { Q, KV, headSize, eps } = shape;
  const vector = biased(shape, parts, "d");
  const at = `r * ${Q + 2 * KV}u + head * ${headSize}u + d`;
  return {
    label: "head norm gradient",
    buffers: [write("raw"), read("vectors"), write("dqkv")],
    offsets: offsetsOf(parts),
    reduces: { threads: headThreads },
    code: `
${rowEntry(headThreads, "r", "call.rows")}
  let head = group.z;
  let norm = ${headNormAt(shape)};
  var squares = 0f;
  var dot = 0f;
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) {
    let value = ${vector};
    squares = fma(value, value, squares);
    dot = fma(value, vectors[norm + d] * dqkv[${at}], dot);
  }
  let scale = inverseSqrt(reduceSum(squares, lid) / ${headSize}f + ${eps});
  let pull = reduceSum(dot, lid) * scale * scale * scale / ${headSize}f;
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) {
    let value = ${vector};
    let given = dqkv[${at}];
    ${isTrained ? `raw[${at}] = given * value * scale;` : ""}
    dqkv[${at}] = scale * vectors[norm + d] * given - value * pull;
  }
}
`,
  };
}

/**
 * The gradient of biases or of a norm of heads: gradient[op.gradient + d] += the sum over rows and op.heads heads of terms, whose
 * columns they begin at op.first, op.span each. A workgroup for every 16 columns d < op.span.
 */
export function columnSumsKernel({ Q, KV }: ModelShape): Kernel {
  const lanes = headThreads / 16;
  return {
    label: "column sums",
    buffers: [read("terms"), write("gradient")],
    offsets: ["gradient", "first", "span", "heads"],
    code: `
var<workgroup> sums: array<f32, ${headThreads}>;
@compute @workgroup_size(${headThreads})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lid: u32) {
  let d = group.x * 16u + lid % 16u;
  var sum = 0f;
  if (d < op.span) {
    for (var i = lid / 16u; i < call.rows * op.heads; i += ${lanes}u) {
      sum += terms[(i / op.heads) * ${Q + 2 * KV}u + op.first + (i % op.heads) * op.span + d];
    }
  }
  sums[lid] = sum;
  workgroupBarrier();
  if (lid >= 16u || d >= op.span) { return; }
  for (var lane = 1u; lane < ${lanes}u; lane++) { sum += sums[lane * 16u + lid]; }
  gradient[op.gradient + d] += sum;
}
`,
  };
}
