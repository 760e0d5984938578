// The form every WGSL kernel here takes: a name, its buffers, the offsets it is given for each use,
// and its code. Sizes fixed by the model are constants in the code; what changes from call to call
// (rows, scored tokens, sampling options) is in one uniform, `call`; where weights lie is in another, `op`.

import { type Reductions, reductions } from "./reductions.ts";

/** "read" and "write" are storage ("write" may also read); "uniform" is a small struct of its own. */
export type Access = "read" | "write" | "uniform";

export interface KernelBuffer {
  readonly name: string;
  readonly access: Access;
  /** WGSL type of the binding. */
  readonly type: string;
}

export interface Kernel {
  readonly label: string;
  readonly buffers: readonly KernelBuffer[];
  /** Fields of `op`, at most 8, all u32. */
  readonly offsets: readonly string[];
  /** Sums and maxima over the workgroup that the code takes. */
  readonly reduces?: Reductions;
  /** Declarations and the entry point `main`. */
  readonly code: string;
}

/** Fields of `call` in order; all are four bytes. */
const callFields = [
  ["rows", "u32"],
  ["scored", "u32"],
  ["inverseTemperature", "f32"],
  ["greedy", "u32"],
  ["topK", "u32"],
  ["topP", "f32"],
  ["minP", "f32"],
  ["stopCount", "u32"],
  ["maxNewTokens", "u32"],
  ["unused0", "u32"],
  ["unused1", "u32"],
  ["unused2", "u32"],
] as const;

/** Most stop tokens a request may name. */
export const maxStopTokens = 64;
/** Bytes of the `call` uniform: its fields, then the stop tokens. */
export const callBytes = callFields.length * 4 + maxStopTokens * 4;
/** Most fields of the `op` uniform. */
export const maxOffsets = 8;
/** Rows are spread over x and y in runs of this many workgroups, since one dimension holds 65,535. */
export const rowRun = 32768;

export const read = (name: string, type = "array<f32>"): KernelBuffer => ({ name, access: "read", type });
export const write = (name: string, type = "array<f32>"): KernelBuffer => ({ name, access: "write", type });

/** The whole WGSL module of a kernel: uniforms at bindings 0 and 1, its buffers from 2 on; its reductions as the device can. */
export function kernelCode(kernel: Kernel, hasSubgroups: boolean): string {
  if (kernel.offsets.length > maxOffsets) throw new Error(`internal: ${kernel.label} has more than ${maxOffsets} offsets`);
  const fields = callFields.map(([name, type]) => `  ${name}: ${type},`).join("\n");
  const offsets = kernel.offsets.length > 0 ? kernel.offsets : ["unused"];
  const spaces = { read: "storage, read", write: "storage, read_write", uniform: "uniform" } as const;
  const bindings = kernel.buffers.map((b, i) => `@group(0) @binding(${i + 2}) var<${spaces[b.access]}> ${b.name}: ${b.type};`);
  const { reduces } = kernel;
  return `${reduces && hasSubgroups ? "enable subgroups;\n" : ""}struct Call {
${fields}
  stops: array<vec4u, ${maxStopTokens / 4}>,
}
struct Op {
${offsets.map((name) => `  ${name}: u32,`).join("\n")}
}
@group(0) @binding(0) var<uniform> call: Call;
@group(0) @binding(1) var<uniform> op: Op;
${bindings.join("\n")}
${reduces ? reductions(reduces, hasSubgroups) : ""}
${kernel.code}`;
}

/** WGSL: the entry point of a kernel with a workgroup for each `index` < `count`, spread in runs of rowRun. */
export function rowEntry(threads: number, index: string, count: string): string {
  return `@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lid: u32) {
  let ${index} = group.y * ${rowRun}u + group.x;
  if (${index} >= ${count}) { return; }`;
}

/** A WGSL f32 literal that is exactly Math.fround(value). */
export function f32(value: number): string {
  const text = String(Math.fround(value));
  return `${/[.e]/.test(text) ? text : `${text}.0`}f`;
}

// What the kernels know about a row (a token position), two vec4u each. A row's keys and values lie
// in the rows of two runs: a shared prefix, and the row's own run up to and including itself. In
// training these are the rows of the batch; in decoding those of the cache. Position = prefix + own - 1.

/** u32 words per row. */
export const rowInfoWords = 8;

/** Words 0-3: the runs of rows a row attends to. */
export const rowRuns = { prefixStart: 0, prefixLength: 1, ownStart: 2, ownLength: 3 } as const;

/**
 * Words 4-7 in training: first row after the row's segment, then the pairs (row, count) of later rows
 * that attend to the whole segment as their prefix, stored behind all rows as [rangeFirst, rangeEnd).
 */
export const trainingWords = { segmentEnd: 4, rangeFirst: 5, rangeEnd: 6, token: 7 } as const;

/** Words 4-7 in decoding: the row's place in the turn, 1 once a stop token ended it, its own length when the turn began. */
export const decodingWords = { place: 4, stopped: 5, turnStart: 6, token: 7 } as const;

/** u32 words of a sampled token: the token, the bits of its log-prob and of the entropy it was drawn at. */
export const sampledWords = 3;

/** WGSL: row of the j-th key a row with these runs attends to. */
export const keyRowFunction = "fn keyRowOf(runs: vec4u, j: u32) -> u32 { return select(runs.z + j - runs.y, runs.x + j, j < runs.y); }";
