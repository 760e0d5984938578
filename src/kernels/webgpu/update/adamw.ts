// The optimizer over the flat parameters in two dispatches: one adds up the copies of the gradient and
// sums squares, one clips by the global norm, steps (AdamW, Loshchilov & Hutter 2019, as PyTorch orders
// its operations, or SGD) and clears. Whether a gradient is finite is read from its exponent bits,
// because a shader compiler may assume that NaN and infinity never occur.
import { type Kernel, read, write } from "../kernel.ts";

/** Workgroups of the norm, and so partial sums for each window of the gradient. */
export const normGroups = 128;

/**
 * Fields of the `step` uniform in order. Differences from 1 are taken before they are rounded: in single precision 1 -
 * 0.999 is off by 1e-5 of itself.
 */
export const stepFields = [
  "learningRate",
  "beta1",
  "beta2",
  "rest1",
  "rest2",
  "eps",
  "keep",
  "maxGradNorm",
  "correction1",
  "correction2",
  "sgd",
] as const;

const finite = "fn finite(value: f32) -> bool { return (bitcast<u32>(value) & 0x7f800000u) != 0x7f800000u; }";

/** partials[op.partial + workgroup] = (sum of squares, number of values that are not finite). */
export function gradientNormKernel(): Kernel {
  return {
    label: "gradient norm",
    buffers: [write("gradient"), write("partials", "array<vec2f>")],
    offsets: ["first", "count", "copies", "stride", "partial"],
    reduces: { threads: 256 },
    code: `
${finite}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lid: u32) {
  var squares = 0f;
  var broken = 0f;
  for (var i = group.x * 256u + lid; i < op.count; i += groups.x * 256u) {
    let at = op.first + i;
    var sum = gradient[at];
    for (var part = 1u; part < op.copies; part++) {
      sum += gradient[at + part * op.stride];
      gradient[at + part * op.stride] = 0f;
    }
    if (op.copies > 1u) { gradient[at] = sum; }
    if (finite(sum)) { squares = fma(sum, sum, squares); } else { broken += 1f; }
  }
  squares = reduceSum(squares, lid);
  broken = reduceSum(broken, lid);
  if (lid == 0u) { partials[op.partial + group.x] = vec2f(squares, broken); }
}
`,
  };
}

/** One step over op.count parameters from op.first; `partials` has op.partials entries. Clears the gradient. */
export function adamwKernel(): Kernel {
  return {
    label: "adamw",
    buffers: [
      { name: "step", access: "uniform", type: "Step" },
      read("partials", "array<vec2f>"),
      write("gradient"),
      write("weights"),
      write("first"),
      write("second"),
    ],
    offsets: ["first", "count", "partials"],
    reduces: { threads: 256 },
    code: `
struct Step {
${stepFields.map((name) => `  ${name}: f32,`).join("\n")}
}
${finite}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lid: u32) {
  var sums = vec2f();
  for (var i = lid; i < op.partials; i += 256u) { sums += partials[i]; }
  let squares = reduceSum(sums.x, lid);
  let broken = reduceSum(sums.y, lid);
  let sound = broken == 0f && finite(squares);
  let norm = sqrt(squares);
  var scale = 1f;
  if (step.maxGradNorm > 0f) { scale = min(1f, step.maxGradNorm / (norm + 1e-6f)); }
  for (var i = group.x * 256u + lid; i < op.count; i += groups.x * 256u) {
    let at = op.first + i;
    if (sound) {
      let g = gradient[at] * scale;
      let decayed = weights[at] * step.keep;
      if (step.sgd != 0f) {
        weights[at] = decayed - step.learningRate * g;
      } else {
        let m = step.beta1 * first[at] + step.rest1 * g;
        let v = step.beta2 * second[at] + step.rest2 * g * g;
        first[at] = m;
        second[at] = v;
        weights[at] = decayed - step.learningRate * (m * step.correction1) / (sqrt(v * step.correction2) + step.eps);
      }
    }
    gradient[at] = 0f;
  }
}
`,
  };
}
