// Sums and maxima over a workgroup, the result in every thread. Where the device has subgroups, each of them first reduces
// by itself, and a thread then reads one share of each; elsewhere shares are halved in a tree of barriers. Either way the
// order is fixed, so that a device gives the same bits again.
// A subgroup's threads are taken to be neighbours in the workgroup, as they are on every system that WebGPU runs on though
// its text does not promise it; where they were not, a backend would fail its check (model/selfCheck.ts) and not be taken.

/**
 * What a kernel reduces: `reduceSum` and `reduceMax` over its threads, and `reduceEach` over arrays of so many values
 * where it says how many.
 */
export interface Reductions {
  /** Threads of the workgroup, a power of two. */
  readonly threads: number;
  readonly together?: number;
}

interface Reducer {
  readonly name: string;
  /** WGSL: the value that changes nothing, two values as one, and the function over a subgroup. */
  readonly nothing: string;
  readonly both: (a: string, b: string) => string;
  readonly inSubgroup: string;
}

const reducers: readonly Reducer[] = [
  { name: "reduceSum", nothing: "0f", both: (a, b) => `${a} + ${b}`, inSubgroup: "subgroupAdd" },
  { name: "reduceMax", nothing: "-3.0e38f", both: (a, b) => `max(${a}, ${b})`, inSubgroup: "subgroupMax" },
];

function inTree({ name, both }: Reducer, threads: number): string {
  return `fn ${name}(value: f32, lid: u32) -> f32 {
  reduce_scratch[lid] = value;
  workgroupBarrier();
  for (var width = ${threads / 2}u; width > 0u; width /= 2u) {
    if (lid < width) { reduce_scratch[lid] = ${both("reduce_scratch[lid]", "reduce_scratch[lid + width]")}; }
    workgroupBarrier();
  }
  let result = reduce_scratch[0];
  workgroupBarrier();
  return result;
}`;
}

function inSubgroups({ name, nothing, both, inSubgroup }: Reducer, threads: number): string {
  return `fn ${name}(value: f32, lid: u32) -> f32 {
  let share = ${inSubgroup}(value);
  let size = subgroupAdd(1u);
  if (subgroupElect()) { reduce_scratch[lid / size] = share; }
  workgroupBarrier();
  var result = ${nothing};
  for (var i = 0u; i < ${threads}u / size; i++) { result = ${both("result", "reduce_scratch[i]")}; }
  workgroupBarrier();
  return result;
}`;
}

/**
 * WGSL: thread i < `together` gets the sum of value i over all threads. On a device with subgroups too: a subgroup's sum of
 * each value by itself takes a tenth longer there than shares that all threads add up together (NVIDIA H200).
 */
function eachInSteps(threads: number, together: number): string {
  const lanes = threads / together;
  return `fn reduceEach(values: ptr<function, array<f32, ${together}>>, lid: u32) -> f32 {
  for (var i = 0u; i < ${together}u; i++) { reduce_scratch[i * ${threads}u + lid] = (*values)[i]; }
  workgroupBarrier();
  var share = 0f;
  for (var part = 0u; part < ${together}u; part++) { share += reduce_scratch[(lid / ${lanes}u) * ${threads}u + part * ${lanes}u + lid % ${lanes}u]; }
  workgroupBarrier();
  reduce_scratch[lid] = share;
  workgroupBarrier();
  var total = 0f;
  if (lid < ${together}u) { for (var part = 0u; part < ${lanes}u; part++) { total += reduce_scratch[lid * ${lanes}u + part]; } }
  workgroupBarrier();
  return total;
}`;
}

/** WGSL of a kernel's reductions on a device with subgroups or without. */
export function reductions({ threads, together }: Reductions, hasSubgroups: boolean): string {
  return `var<workgroup> reduce_scratch: array<f32, ${threads * (together ?? 1)}>;
${reducers.map((reducer) => (hasSubgroups ? inSubgroups : inTree)(reducer, threads)).join("\n")}
${together ? eachInSteps(threads, together) : ""}`;
}
