// Runs one WGSL kernel on arrays, for tests of single kernels.
import { Arena } from "../../src/kernels/webgpu/arena.ts";
import { compileKernel, validated } from "../../src/kernels/webgpu/device.ts";
import { callBytes, type Kernel } from "../../src/kernels/webgpu/kernel.ts";
import { buildProgram, type Grid, opWords, readStaging, record, resize } from "../../src/kernels/webgpu/program.ts";

export interface KernelRun {
  /** Contents of each buffer; a number is that many zero words. */
  readonly buffers: Readonly<Record<string, Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | number | undefined>>;
  readonly offsets?: Readonly<Record<string, number>>;
  readonly rows: number;
  readonly scored?: number;
  readonly grid: Grid;
}

const sizeOf = (content: KernelRun["buffers"][string]): number => (typeof content === "number" ? content : (content?.length ?? 0));

/** Every buffer after the kernel ran, as floats. */
export async function runKernel(device: GPUDevice, kernel: Kernel, run: KernelRun): Promise<Record<string, Float32Array<ArrayBuffer>>> {
  const arena = new Arena(device);
  const compiled = await compileKernel(device, kernel);
  const sizes = { rows: run.rows, scored: run.scored ?? run.rows };
  const call = arena.uniform("call", callBytes / 4);
  const values = new Uint32Array(callBytes / 4);
  values.set([sizes.rows, sizes.scored]);
  new Float32Array(values.buffer)[2] = 1;
  device.queue.writeBuffer(call, 0, values);
  const buffers: Record<string, GPUBuffer> = {};
  for (const [name, content] of Object.entries(run.buffers)) {
    buffers[name] = arena.storage(name, sizeOf(content));
    if (content instanceof Object) device.queue.writeBuffer(buffers[name], 0, content);
  }
  const operation = { kernel: compiled, buffers, offsets: run.offsets ?? {}, grid: () => run.grid };
  const results: Record<string, Float32Array<ArrayBuffer>> = {};
  await validated(device, kernel.label, () => {
    const program = buildProgram(device, [operation], call, arena.uniform("op", opWords(1)));
    resize(program, sizes);
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    record(program, pass);
    pass.end();
    for (const [name, buffer] of Object.entries(buffers)) {
      encoder.copyBufferToBuffer(buffer, 0, arena.staging(`read ${name}`, buffer.size / 4), 0, buffer.size);
    }
    device.queue.submit([encoder.finish()]);
  });
  for (const [name, content] of Object.entries(run.buffers)) {
    const words = sizeOf(content);
    results[name] = new Float32Array(await readStaging(arena.staging(`read ${name}`, words), words));
  }
  arena.destroy();
  return results;
}
