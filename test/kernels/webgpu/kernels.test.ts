// Single WGSL kernels against the plain references, in the variants that small models never choose:
// wide tiles, split sums, heads wider than a workgroup, rows beyond one block of keys. The kernels of one
// phase alone are in the files beside.
import { describe, expect, it, vi } from "vitest";
import { modelShape } from "../../../src/kernels/modelSizes.ts";
import { attentionKernel } from "../../../src/kernels/webgpu/attention/attention.ts";
import { keyValueGradientKernel, queryGradientKernel } from "../../../src/kernels/webgpu/attention/attentionGradient.ts";
import { attentionGrid, tiledAttentionKernel } from "../../../src/kernels/webgpu/attention/tiledAttention.ts";
import { compileKernel } from "../../../src/kernels/webgpu/device.ts";
import { embedKernel } from "../../../src/kernels/webgpu/embedding.ts";
import { decodingWords, type Kernel, rowInfoWords, write } from "../../../src/kernels/webgpu/kernel.ts";
import { inputGradientKernel, residualKernel, weightGradientKernel } from "../../../src/kernels/webgpu/product/projections.ts";
import { trainedForm } from "../../../src/kernels/webgpu/product/storedForm.ts";
import { gemmGrid, lowTile, wideTile } from "../../../src/kernels/webgpu/product/tile.ts";
import { type Grid, rowGrid } from "../../../src/kernels/webgpu/program.ts";
import { normGradientGrid, normGradientKernel } from "../../../src/kernels/webgpu/update/normGradient.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { project, projectBackward } from "../reference/matrix.ts";
import { type AttendedRows, attentionBackward, attentionForward } from "../reference/packedAttention.ts";
import { rmsNormBackward, rmsNormForward } from "../reference/rmsNormRows.ts";
import { expectNear, normals, runCall, trainedMatrix, useEngine } from "./runCall.ts";

vi.setConfig({ testTimeout: 60_000 });
const { gpu, skip } = await gpuForTests();
const sizes = {
  vocabularySize: 8,
  hiddenSize: 20,
  layers: 1,
  intermediateSize: 8,
  heads: 4,
  kvHeads: 2,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  qkvBias: false,
  headNorm: false,
  valueHead: false,
};
/** Kernels here ask the call for its number of rows alone. */
const callOf = (rows: number) => ({ rows, scored: rows, temperature: 1 });

describe.skipIf(skip !== undefined)(skip ? `webgpu kernels (skipped: ${skip})` : "webgpu kernels", () => {
  const engine = useEngine(gpu);

  it.each([wideTile, lowTile])("project as the reference does, tile %o", async (tile) => {
    const [rows, inputs, outputs] = [70, 41, 67];
    const [a, weights, residual] = [normals(rows * inputs), normals(outputs * inputs + 3), normals(rows * outputs)];
    const { y } = await runCall(engine(), residualKernel(trainedMatrix(outputs, inputs, 3), tile), {
      buffers: { a, base: weights, residual, y: rows * outputs },
      offsets: { matrix: 3 },
      call: callOf(rows),
      grid: [...gemmGrid(tile, rows, outputs), 1],
    });
    const plain = project(a, weights.subarray(3), outputs, inputs);
    expectNear(
      y!,
      plain.map((value, i) => value + residual[i]!),
    );
  });

  it.each([wideTile, lowTile])("carry a projection's gradient back, sums split in three parts, tile %o", async (tile) => {
    const [rows, inputs, outputs] = [131, 37, 66];
    const [x, weights, dy] = [normals(rows * inputs), normals(outputs * inputs), normals(rows * outputs)];
    const plain = projectBackward(x, weights, dy, outputs, inputs);
    const matrix = trainedMatrix(outputs, inputs, 0);
    const { dx } = await runCall(engine(), inputGradientKernel(matrix, tile), {
      buffers: { base: weights, dy, dx: rows * inputs },
      offsets: { matrix: 0 },
      call: callOf(rows),
      grid: [...gemmGrid(tile, rows, inputs), 1],
    });
    expectNear(dx!, plain.dx);
    const stride = outputs * inputs;
    const { gradient } = await runCall(engine(), weightGradientKernel(matrix, false, tile), {
      buffers: { x, dy, gradient: 3 * stride },
      offsets: { gradient: 0, stride },
      call: callOf(rows),
      grid: [...gemmGrid(tile, outputs, inputs), 3],
    });
    expectNear(
      gradient!.subarray(0, stride).map((value, i) => value + gradient![stride + i]! + gradient![2 * stride + i]!),
      plain.dw,
    );
  });

  it("carry the norm's gradient back to rows and weights", async () => {
    const [rows, width] = [33, 20];
    const [x, dy, dx, w] = [normals(rows * width), normals(rows * width), normals(rows * width), normals(width)];
    const { inverse } = rmsNormForward(x, w, 1e-5);
    const plain = rmsNormBackward(x, w, dy, 1e-5);
    const after = await runCall(engine(), normGradientKernel(modelShape({ ...sizes, headSize: 4 }), true), {
      buffers: { vectors: w, x, inverse_rms: Float32Array.from(inverse), dy, dx, gradient: width },
      offsets: { norm: 0, gradient: 0 },
      call: callOf(rows),
      grid: normGradientGrid(rows, width, true),
    });
    expectNear(
      after.dx!,
      plain.dx.map((value, i) => value + dx[i]!),
    );
    expectNear(after.gradient!, plain.dw);
  });

  it.each([6, 24, 64, 70])("attend and carry the gradient back with a shared prefix and heads of %i", async (headSize) => {
    const shape = modelShape({ ...sizes, headSize });
    // A prefix of 70 rows and two runs of 5 and 3 that share it.
    const segments = [[0, 70, 0, 0] as const, [70, 5, 0, 70] as const, [75, 3, 0, 70] as const];
    const rows = 78;
    const info = new Uint32Array(rows * 8 + 4);
    const attended: AttendedRows[] = [];
    for (const [start, length, prefixStart, prefixLength] of segments) {
      for (let i = 0; i < length; i++) {
        info.set([prefixStart, prefixLength, start, i + 1, start + length, 0, prefixLength === 0 ? 1 : 0, 0], (start + i) * 8);
        attended.push({ prefixStart, prefixLength, ownStart: start, ownLength: i + 1 });
      }
    }
    info.set([70, 8], rows * 8);
    const [q, dO] = [normals(rows * shape.Q), normals(rows * shape.Q)];
    const [k, v] = [normals(rows * shape.KV), normals(rows * shape.KV)];
    const kv = Float32Array.from({ length: rows * 2 * shape.KV }, (_, i) => {
      const [r, c] = [Math.floor(i / (2 * shape.KV)), i % (2 * shape.KV)];
      return c < shape.KV ? k[r * shape.KV + c]! : v[r * shape.KV + c - shape.KV]!;
    });
    const attend = (kernel: Kernel, grid: Grid) =>
      runCall(engine(), kernel, {
        buffers: { q, kv, row_info: info, o: rows * shape.Q, stats: rows * 2 * shape.heads },
        call: callOf(rows),
        grid,
      });
    const forward = await attend(tiledAttentionKernel(shape), attentionGrid(rows, shape.heads));
    expectNear(forward.o!, attentionForward(q, k, v, attended, { ...sizes, headSize }));
    const byRow = await attend(attentionKernel(shape), rowGrid(rows, shape.heads));
    expectNear(byRow.o!, forward.o!);
    expectNear(byRow.stats!, forward.stats!);
    // To the bit, where no two threads share a sum.
    if (headSize >= 64) expect(byRow.o).toEqual(forward.o);
    // No turn, so that the gradient is that of attention alone.
    const rope = Float32Array.from({ length: 80 * headSize }, (_, i) => 1 - (i % 2));
    const shared = { q, kv, row_info: info, rope, d_o: dO };
    const width = shape.Q + 2 * shape.KV;
    const o = forward.o;
    const first = await runCall(engine(), queryGradientKernel(shape), {
      buffers: { ...shared, o, stats: forward.stats, dqkv: rows * width },
      call: callOf(rows),
      grid: attentionGrid(rows, shape.heads),
    });
    const second = await runCall(engine(), keyValueGradientKernel(shape), {
      buffers: { ...shared, stats: first.stats, dqkv: first.dqkv },
      call: callOf(rows),
      grid: attentionGrid(rows, shape.kvHeads),
    });
    const plain = attentionBackward(q, k, v, dO, attended, { ...sizes, headSize });
    const columns = (from: number, count: number) =>
      Float32Array.from({ length: rows * count }, (_, i) => second.dqkv![Math.floor(i / count) * width + from + (i % count)]!);
    expectNear(columns(0, shape.Q), plain.dq);
    expectNear(columns(shape.Q, shape.KV), plain.dk);
    expectNear(columns(shape.Q + shape.KV, shape.KV), plain.dv);
  });

  it("reach every row when there are more than one dimension of a dispatch holds", async () => {
    const rows = engine().device.limits.maxComputeWorkgroupsPerDimension + 4_465;
    const [vocabulary, width] = [8, 20];
    const info = new Uint32Array(rows * rowInfoWords);
    for (let r = 0; r < rows; r++) info[r * rowInfoWords + decodingWords.token] = (r * 5) % vocabulary;
    const weights = normals(vocabulary * width);
    const { x } = await runCall(engine(), embedKernel(modelShape({ ...sizes, headSize: 4 }), trainedForm(0, width), "rows"), {
      buffers: { base: weights, row_info: info, x: rows * width },
      offsets: { matrix: 0, id: 0, count: vocabulary },
      call: callOf(rows),
      grid: rowGrid(rows),
    });
    expect(rowGrid(rows)[0]).toBeLessThan(engine().device.limits.maxComputeWorkgroupsPerDimension);
    const wrong = x!.findIndex((value, i) => value !== weights[((Math.floor(i / width) * 5) % vocabulary) * width + (i % width)]);
    expect(wrong).toBe(-1);
  });

  it("fail loudly when a shader is invalid, naming the kernel and the place", async () => {
    const broken = { label: "broken", buffers: [write("x")], offsets: [], code: "@compute @workgroup_size(1) fn main() { x[0] = 1u; }" };
    await expect(compileKernel(engine().device, broken)).rejects.toThrow(/kernel broken.*cannot assign/s);
    const headless = { ...broken, label: "headless", code: "fn other() {}" };
    await expect(compileKernel(engine().device, headless)).rejects.toThrow("kernel headless does not compile");
  });

  it("fail loudly when buffers and kernel disagree", async () => {
    const kernel = {
      label: "short",
      buffers: [write("x", "array<vec4f, 64>")],
      offsets: [],
      code: "@compute @workgroup_size(1) fn main() { x[0] = vec4f(); }",
    };
    await expect(runCall(engine(), kernel, { buffers: { x: 4 }, call: callOf(1), grid: [1, 1, 1] })).rejects.toThrow(
      /WebGPU refused a first run: .*Buffer "x".*ComputePipeline "short".*at least 1024 bytes/s,
    );
  });
});
