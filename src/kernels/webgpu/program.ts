// A phase as a list of dispatches with everything decided beforehand: pipelines, bind groups, and grids
// that are worked out again only when sizes change. Recording one is then a loop of two or three calls
// per dispatch inside a single compute pass; WebGPU orders dispatches that touch the same storage.
import { Arena, usage } from "./arena.ts";
import type { CompiledKernel } from "./device.ts";
import { maxOffsets, rowRun } from "./kernel.ts";

/** What varies between runs of a program: rows of the batch and scored tokens. */
export interface Sizes {
  readonly rows: number;
  readonly scored: number;
}

export type Grid = readonly [number, number, number];

export interface Operation {
  readonly kernel: CompiledKernel;
  /** One for each buffer the kernel names. */
  readonly buffers: Readonly<Record<string, GPUBuffer | GPUBufferBinding>>;
  readonly offsets: Readonly<Record<string, number>>;
  readonly grid: (sizes: Sizes) => Grid;
}

export interface Program {
  readonly dispatches: readonly Dispatch[];
  sizes: Sizes | null;
}

interface Dispatch {
  readonly pipeline: GPUComputePipeline;
  readonly bindGroup: GPUBindGroup;
  readonly grid: (sizes: Sizes) => Grid;
  x: number;
  y: number;
  z: number;
}

/** Grid of one workgroup per row (and z per head), in runs that fit a dimension. */
export function rowGrid(rows: number, z = 1): Grid {
  return [Math.min(rows, rowRun), Math.ceil(rows / rowRun), z];
}

const offsetStride = 256;

/** Makes bind groups for the operations; `opBuffer` must have room for operations.length * 256 bytes. */
export function buildProgram(device: GPUDevice, operations: readonly Operation[], call: GPUBuffer, opBuffer: GPUBuffer): Program {
  const words = new Uint32Array((operations.length * offsetStride) / 4);
  const dispatches = operations.map((operation, index) => {
    const { kernel, layout, pipeline } = operation.kernel;
    kernel.offsets.forEach((name, i) => {
      const value = operation.offsets[name];
      if (value === undefined) throw new Error(`internal: kernel ${kernel.label} was given no offset ${name}`);
      words[(index * offsetStride) / 4 + i] = value;
    });
    const resources = kernel.buffers.map(({ name }, i) => {
      const given = operation.buffers[name];
      if (!given) throw new Error(`internal: kernel ${kernel.label} was given no buffer ${name}`);
      return { binding: i + 2, resource: "buffer" in given ? given : { buffer: given } };
    });
    const op = { buffer: opBuffer, offset: index * offsetStride, size: maxOffsets * 4 };
    const entries = [{ binding: 0, resource: { buffer: call } }, { binding: 1, resource: op }, ...resources];
    const bindGroup = device.createBindGroup({ label: kernel.label, layout, entries });
    return { pipeline, bindGroup, grid: operation.grid, x: 0, y: 0, z: 0 };
  });
  if (words.length > 0) device.queue.writeBuffer(opBuffer, 0, words);
  return { dispatches, sizes: null };
}

/** Words an op buffer needs for so many operations. */
export const opWords = (operations: number): number => Math.max(1, operations) * (offsetStride / 4);

/** Works out the grids for these sizes, unless they are the same as before. */
export function resize(program: Program, sizes: Sizes): void {
  if (program.sizes?.rows === sizes.rows && program.sizes.scored === sizes.scored) return;
  for (const dispatch of program.dispatches) [dispatch.x, dispatch.y, dispatch.z] = dispatch.grid(sizes);
  program.sizes = sizes;
}

/** Records every dispatch of a resized program into a pass. */
export function record(program: Program, pass: GPUComputePassEncoder): void {
  let current: GPUComputePipeline | null = null;
  for (const { pipeline, bindGroup, x, y, z } of program.dispatches) {
    if (pipeline !== current) {
      pass.setPipeline(pipeline);
      current = pipeline;
    }
    pass.setBindGroup(0, bindGroup);
    pass.dispatchWorkgroups(x, y, z);
  }
}

/** Copies words [from, from + words) of a buffer back. */
export async function readWords(device: GPUDevice, buffer: GPUBuffer, from: number, words: number): Promise<ArrayBuffer> {
  const arena = new Arena(device);
  try {
    const staging = arena.staging("words", words);
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, from * 4, staging, 0, words * 4);
    device.queue.submit([encoder.finish()]);
    return await readStaging(staging, words);
  } finally {
    arena.destroy();
  }
}

/** Reads the first `words` of a staging buffer that a submitted command fills. */
export async function readStaging(staging: GPUBuffer, words: number): Promise<ArrayBuffer> {
  await staging.mapAsync(usage.mapRead, 0, words * 4);
  const copy = staging.getMappedRange(0, words * 4).slice(0);
  staging.unmap();
  return copy;
}
